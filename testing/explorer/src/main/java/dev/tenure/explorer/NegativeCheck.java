// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer;

import static dev.tenure.explorer.BrokenRule.*;

import dev.tenure.explorer.model.ModelChecks;
import java.util.List;

/**
 * A world with a rule broken on purpose, and the property that must not hold there. A check that finds nothing in its trial
 * would find nothing anywhere, so these are run along with the worlds that must be clean.
 *
 * @param property as the catalogue of properties calls it
 */
public record NegativeCheck(Bounds bounds, String property) {
    public static List<NegativeCheck> all() {
        Bounds calm = Bounds.of("two nodes", 2, 0).tokens(2);
        Bounds once = Bounds.of("two nodes, a fault", 2, 1).tokens(2);
        Bounds twice = Bounds.of("two nodes, two faults", 2, 2).tokens(1);
        Bounds alone = Bounds.of("one node, three faults", 1, 3).tokens(1);
        return List.of(
                new NegativeCheck(twice.with(ModelFault.LATE, ModelFault.STUCK).but(DEADLINE_FROM_REPLY), "S5"),
                new NegativeCheck(alone.with(ModelFault.SLIP, ModelFault.LOSS).but(CLOCKS_BEYOND_DRIFT), "S5"),
                new NegativeCheck(
                        alone.with(ModelFault.SUSPEND, ModelFault.LOSS).but(WALL_CLOCK_IGNORED), "S5"),
                new NegativeCheck(once.with(ModelFault.STUCK).but(LATE_RENEWAL_REVIVES), "S8"),
                new NegativeCheck(once.with(ModelFault.LATE).but(STALE_REPLIES), "S14"),
                new NegativeCheck(once.with(ModelFault.LATE).queued().but(STALE_REPLIES), "S14"),
                new NegativeCheck(once.with(ModelFault.LOSS).but(SILENCE_IS_SUCCESS), "S14"),
                new NegativeCheck(twice.with(ModelFault.LOSS, ModelFault.CLOSE).but(SILENCE_IS_FAILURE), "L5"),
                new NegativeCheck(once.with(ModelFault.REVOKE).but(SESSION_LOSS_UNHEARD), ModelChecks.NO_ROW),
                new NegativeCheck(once.with(ModelFault.REVOKE).but(DRAIN_FORGOTTEN), ModelChecks.NO_ROW),
                new NegativeCheck(calm.but(LOSS_TOLD_TWICE), "S9"),
                new NegativeCheck(once.with(ModelFault.CLOSE).but(RELEASE_BEFORE_STOP), "S10"),
                new NegativeCheck(once.with(ModelFault.CLOSE).releasingOverdue().but(RELEASE_WITHOUT_REVOKING), "S10"),
                new NegativeCheck(calm.but(LEADS_BEFORE_FENCE), "S7"),
                new NegativeCheck(once.with(ModelFault.REVOKE).but(NO_FENCE), "S6"),
                new NegativeCheck(once.with(ModelFault.RESTORE).but(NO_FLOOR), "S19"),
                new NegativeCheck(calm.but(TOKENS_REPEAT), "S2"),
                new NegativeCheck(
                        twice.with(ModelFault.LATE, ModelFault.LOSS).tokens(2).but(OLDER_NONCE_BELIEVED), "S5"),
                new NegativeCheck(calm.but(FOREIGN_NONCE_BELIEVED), "S5"),
                new NegativeCheck(twice.with(ModelFault.LATE, ModelFault.CLOSE).but(SUPERSEDED_GOES_ON), "L5"),
                new NegativeCheck(twice.with(ModelFault.LATE, ModelFault.CLOSE).but(RELEASE_SETTLES_NOTHING), "L5"),
                new NegativeCheck(once.with(ModelFault.LATE).but(RELEASE_UNCONDITIONAL), "S5"),
                new NegativeCheck(once.with(ModelFault.CLOSE).queued().but(RELEASE_KEEPS_PLACE), "L5"),
                new NegativeCheck(
                        twice.with(ModelFault.UNREACHABLE, ModelFault.CLOSE)
                                .queued()
                                .but(PLACE_FORGOTTEN),
                        "L5"));
    }
}
