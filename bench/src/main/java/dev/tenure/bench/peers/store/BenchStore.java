// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** One real server or cluster, who is measured on it, and what Tenure's figures must be there. */
public interface BenchStore extends AutoCloseable {
    String name();

    /** Libraries that are measured beside Tenure; the best of them is the target. */
    List<Kind> peers();

    /** What is written by hand, and no target. */
    default List<Kind> byHand() {
        return List.of();
    }

    /** The least that a handover can cost. */
    Optional<Kind> floor();

    default List<Kind> withoutFloor() {
        List<Kind> kinds = new ArrayList<>(List.of(Kind.TENURE));
        kinds.addAll(peers());
        kinds.addAll(byHand());
        return kinds;
    }

    default List<Kind> contenders() {
        List<Kind> kinds = withoutFloor();
        floor().ifPresent(kinds::add);
        return kinds;
    }

    /** Where a contender finds all servers. */
    String address(Kind kind);

    /** Where it finds one of them alone: 0 is the one that leads the cluster. */
    String address(Kind kind, int server);

    /** Can it tell how many stand in elections? If not, they are given some time. */
    default boolean countsCandidates() {
        return true;
    }

    /** How many candidates stand in elections now, leaders included, no matter which ones. */
    long candidates();

    Counts counts();

    /** Do its servers count requests? */
    default boolean countsRequests() {
        return true;
    }

    /** Do its servers count what is read inside of a request? */
    default boolean countsReads() {
        return countsRequests();
    }

    /** How much longer than the floor a handover may take; if empty, only the best peer is a target. */
    default OptionalDouble handoverInFloors() {
        return OptionalDouble.empty();
    }

    /** How many times the requests of the best peer idle candidates may send. */
    default double idleInPeers() {
        return 1.5;
    }

    /** How many requests a handover in a crowd may take. */
    default int crowdRequestsMax() {
        return 4;
    }

    default int requestsPerHeartbeatMax() {
        return 1;
    }

    /** How much later than a TTL the servers give away what a killed leader held; empty if there is no bound to judge by. */
    default Optional<Duration> expiryDelayMax() {
        return Optional.empty();
    }

    @Override
    void close();
}
