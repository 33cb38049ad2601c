package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** One real server or cluster of three, and who is measured on it. */
public interface Store extends AutoCloseable {
    String name();

    /** The one whose figures are targets. */
    Kind peer();

    /** All that are measured beside Tenure. */
    default List<Kind> rivals() {
        return List.of(peer());
    }

    /** The least that a handover can cost. */
    Kind floor();

    default List<Kind> withoutFloor() {
        List<Kind> kinds = new ArrayList<>(List.of(Kind.TENURE));
        kinds.addAll(rivals());
        return kinds;
    }

    default List<Kind> contenders() {
        List<Kind> kinds = withoutFloor();
        kinds.add(floor());
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

    /** How many stand in elections now, leaders included, whoever they are. */
    long candidates();

    /** Requests of clients since the servers were started, by the servers' own count; messages in streams count too. */
    long requests();

    /** What winning many elections may take; half of the peer's time, if empty. */
    default OptionalDouble winWithinSeconds() {
        return OptionalDouble.empty();
    }

    default int requestsPerHeartbeatMax() {
        return 1;
    }

    @Override
    void close();
}
