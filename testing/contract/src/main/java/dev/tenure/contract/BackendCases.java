// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.ElectionName;

/** Cases about elections, one interface for each subject; built as {@link StoreCases} are, for the same reasons. */
interface BackendCases {
    ElectionName ELECTION = ElectionName.of("billing/sweeper");
    String NAME = ELECTION.value();

    /** What the running case needs; its own. */
    ElectionFixture fixture();

    default DutyLog dutyLog() {
        return fixture().dutyLog();
    }
}
