// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.spi.Observation;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** What stands in the keys of one election. */
record ElectionKeys(ElectionName election, Optional<KeyValueEntry> lock, Optional<LockValue> term) {
    static ElectionKeys of(KeyLayout keys, ElectionName election, Map<String, KeyValueEntry> entries) {
        return new ElectionKeys(
                election,
                Optional.ofNullable(entries.get(keys.lock(election))),
                LockValue.find(election, Optional.ofNullable(entries.get(keys.term(election)))));
    }

    boolean isHeld() {
        return lock.filter(entry -> !entry.session().isEmpty()).isPresent();
    }

    /** The lock, if it is this session's. */
    Optional<KeyValueEntry> lockOf(String session) {
        return lock.filter(entry -> entry.session().equals(session));
    }

    Optional<LockValue> claimOf(String session) {
        return LockValue.find(election, lockOf(session));
    }

    /** @param era for holders that are no candidates of Tenure */
    Optional<Leader> leader(int era) {
        return lock.filter(held -> !held.session().isEmpty())
                .map(held -> claimOf(held.session())
                        .filter(claim -> claim.session().equals(held.session()))
                        .map(LockValue::leader)
                        .orElseGet(() -> new Leader(
                                election,
                                "session " + held.session(),
                                FencingToken.of(era, held.index()),
                                Instant.EPOCH,
                                LeaderMetadata.EMPTY,
                                Optional.of(new Leader.Foreign(
                                        false,
                                        "stop its process, or end its session: PUT /v1/session/destroy/"
                                                + held.session())))));
    }

    Observation observation(int era) {
        Optional<Leader> leader = leader(era);
        long newest = term.map(last -> last.leader().token().value()).orElse(0L);
        long now = leader.map(known -> known.token().value()).orElse(0L);
        return new Observation(election, leader, Math.max(newest, now));
    }
}
