// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.BackendTraits.Wakeup;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult.Status;

class UnalteredCasesTest {
    private static final String CASE = "a_key_that_was_never_written_has_no_record";

    static class Unaltered extends MemoryLeaseStoreContract {
        Unaltered() {
            super(ExpiryDetection.SERVER_TIME, Wakeup.WATCH);
        }
    }

    static class Altered extends Unaltered {
        @Test
        @Override
        public void a_deleted_record_is_not_listed() {
            // easier to keep than what the contract asks for
        }
    }

    @Test
    void a_suite_runs_as_it_is() {
        assertThat(Verdicts.of(Unaltered.class, List.of(CASE))).containsEntry(CASE, Status.SUCCESSFUL);
    }

    @Test
    void a_suite_of_which_a_case_is_overridden_does_not_run() {
        assertThat(Verdicts.of(Altered.class, List.of(CASE, "a_deleted_record_is_not_listed")))
                .isEmpty();
    }
}
