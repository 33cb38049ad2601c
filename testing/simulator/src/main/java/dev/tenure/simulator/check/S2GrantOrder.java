// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** S2: a later grant has a higher token. */
final class S2GrantOrder extends Checker {
    private final List<TreeMap<Long, GrantFact>> byToken = new ArrayList<>();

    S2GrantOrder(GroundTruth truth) {
        super("S2", truth);
        for (int i = 0; i < truth.elections(); i++) {
            byToken.add(new TreeMap<>());
        }
    }

    @Override
    void granted(GrantFact grant) {
        TreeMap<Long, GrantFact> older = byToken.get(grant.election);
        // All of them, not only the highest: that one may be lost, while another is not.
        for (GrantFact higher : older.tailMap(grant.token).values()) {
            if (!truth.lostWrites().mayNotBeAbove(higher, grant)) {
                violated("e" + grant.election + ": " + grant + " was granted after token " + higher.token);
            }
        }
        older.putIfAbsent(grant.token, grant);
    }
}
