// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class RaftContractTest extends GroupContract {
    private static final TrioPool GROUPS = new TrioPool("algorithm=raft");

    @Override
    TrioPool groups() {
        return GROUPS;
    }

    @AfterAll
    static void closeTheGroups() {
        GROUPS.close();
    }
}
