// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** S1: no two grants of an election share a token. */
final class S1TokenUniqueness extends Checker {
    private final List<Map<Long, GrantFact>> byToken = new ArrayList<>();

    S1TokenUniqueness(GroundTruth truth) {
        super("S1", truth);
        for (int i = 0; i < truth.elections(); i++) {
            byToken.add(new HashMap<>());
        }
    }

    @Override
    void granted(GrantFact grant) {
        GrantFact other = byToken.get(grant.election).putIfAbsent(grant.token, grant);
        if (other != null && !truth.lostWrites().mayNotBeAbove(other, grant)) {
            violated("e" + grant.election + ": " + grant + " has the number of " + other);
        }
    }
}
