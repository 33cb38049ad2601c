// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class H2Test {
    /** It has no shared locks on rows. Should that change, the fence can let them run side by side. */
    @Test
    void writers_of_one_term_take_turns() throws Exception {
        try (Encounter encounter = new Encounter(Database.H2, Isolation.READ_COMMITTED);
                Connection second = Database.H2.source().getConnection()) {
            second.setAutoCommit(false);
            encounter.fence.enter(encounter.writer, Encounter.OLD);

            CompletableFuture<Void> entering =
                    encounter.inBackground(() -> encounter.fence.enter(second, Encounter.OLD));
            encounter.settle(entering, encounter.fenceTable);
            assertThat(entering).isNotDone();

            encounter.writer.commit();
            Encounter.done(entering);
            second.rollback();
            second.setAutoCommit(true);
        }
    }
}
