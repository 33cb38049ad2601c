// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

@Tag("all")
class QuorumContractTest extends GroupContract {
    private static final TrioPool GROUPS = new TrioPool("algorithm=quorum");

    @Override
    TrioPool groups() {
        return GROUPS;
    }

    @AfterAll
    static void closeTheGroups() {
        GROUPS.close();
    }
}
