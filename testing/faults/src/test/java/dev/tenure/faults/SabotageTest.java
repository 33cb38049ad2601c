// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.faults.candidate.CandidateMode;
import dev.tenure.faults.fault.StopCandidate;
import dev.tenure.faults.ledger.FencedLedger;
import dev.tenure.faults.store.LocalFilesStore;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A campaign that cannot fail proves nothing: here something is wrong on purpose, and has to be found. */
@Tag("slow")
@Timeout(120)
class SabotageTest {
    private static final Setup SETUP = Setup.of(Duration.ofSeconds(1), 17);

    private StoreUnderTest store;

    @BeforeEach
    void startStore() throws Exception {
        store = LocalFilesStore.start();
    }

    @AfterEach
    void stopStore() throws Exception {
        store.close();
    }

    private Round stopTheLeader(Setup setup) throws Exception {
        try (FaultCampaign campaign = new FaultCampaign(store, setup)) {
            Round round = campaign.run(new StopCandidate());
            campaign.forgetLogs();
            return round;
        }
    }

    @Test
    void with_a_fence_and_deadlines_a_stopped_leader_does_no_harm() throws Exception {
        Round round = stopTheLeader(SETUP);

        assertThat(round.violations()).isEmpty();
    }

    @Test
    void without_a_fence_the_stale_write_of_a_stopped_leader_is_found() throws Exception {
        Round round = stopTheLeader(SETUP.with(FencedLedger.StaleWrites.OPEN));

        assertThat(round.violations()).anyMatch(found -> found.startsWith("a stale write was accepted"));
    }

    @Test
    void a_leader_that_knows_no_deadline_is_found_to_believe_beside_its_successor() throws Exception {
        Round round = stopTheLeader(SETUP.with(CandidateMode.WITHOUT_DEADLINE));

        assertThat(round.violations()).anyMatch(found -> found.contains("both believed"));
    }
}
