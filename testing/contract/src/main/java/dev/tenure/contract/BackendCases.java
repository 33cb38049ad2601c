package dev.tenure.contract;

import dev.tenure.ElectionName;

/** Cases about elections, one interface for each subject; built as {@link StoreCases} are, for the same reasons. */
interface BackendCases {
    ElectionName ELECTION = ElectionName.of("billing/sweeper");
    String NAME = ELECTION.value();

    /** What the running case needs; its own. */
    ElectionLab lab();

    default Logbook logbook() {
        return lab().logbook();
    }
}
