package dev.tenure.explorer;

import static dev.tenure.explorer.Sabotage.*;

import java.util.List;

/**
 * A world with a rule broken on purpose, and the property that must not hold there. A check that finds nothing in its trial
 * would find nothing anywhere, so these are run along with the worlds that must be clean.
 *
 * @param property as the catalogue of properties calls it
 */
public record Trial(Bounds bounds, String property) {
    public static List<Trial> all() {
        Bounds calm = Bounds.of("two nodes", 2, 0).tokens(2);
        Bounds once = Bounds.of("two nodes, a fault", 2, 1).tokens(2);
        Bounds twice = Bounds.of("two nodes, two faults", 2, 2).tokens(1);
        Bounds alone = Bounds.of("one node, three faults", 1, 3).tokens(1);
        return List.of(
                new Trial(twice.with(Fault.LATE, Fault.STUCK).but(DEADLINE_FROM_REPLY), "S5"),
                new Trial(alone.with(Fault.SLIP, Fault.LOSS).but(CLOCKS_BEYOND_DRIFT), "S5"),
                new Trial(alone.with(Fault.SUSPEND, Fault.LOSS).but(WALL_CLOCK_IGNORED), "S5"),
                new Trial(once.with(Fault.STUCK).but(LATE_RENEWAL_REVIVES), "S8"),
                new Trial(once.with(Fault.LATE).but(STALE_REPLIES), "S14"),
                new Trial(once.with(Fault.LATE).queued().but(STALE_REPLIES), "S14"),
                new Trial(once.with(Fault.LOSS).but(SILENCE_IS_SUCCESS), "S14"),
                new Trial(twice.with(Fault.LOSS, Fault.CLOSE).but(SILENCE_IS_FAILURE), "L5"),
                new Trial(once.with(Fault.REVOKE).but(SESSION_LOSS_UNHEARD), Checks.NO_ROW),
                new Trial(once.with(Fault.REVOKE).but(DRAIN_FORGOTTEN), Checks.NO_ROW),
                new Trial(calm.but(LOSS_TOLD_TWICE), "S9"),
                new Trial(once.with(Fault.CLOSE).but(RELEASE_BEFORE_STOP), "S10"),
                new Trial(once.with(Fault.CLOSE).releasingOverdue().but(RELEASE_WITHOUT_REVOKING), "S10"),
                new Trial(calm.but(LEADS_BEFORE_FENCE), "S7"),
                new Trial(once.with(Fault.REVOKE).but(NO_FENCE), "S6"),
                new Trial(once.with(Fault.RESTORE).but(NO_FLOOR), "S19"),
                new Trial(calm.but(TOKENS_REPEAT), "S2"),
                new Trial(twice.with(Fault.LATE, Fault.LOSS).tokens(2).but(OLDER_NONCE_BELIEVED), "S5"),
                new Trial(calm.but(FOREIGN_NONCE_BELIEVED), "S5"),
                new Trial(twice.with(Fault.LATE, Fault.CLOSE).but(SUPERSEDED_GOES_ON), "L5"),
                new Trial(twice.with(Fault.LATE, Fault.CLOSE).but(RELEASE_SETTLES_NOTHING), "L5"),
                new Trial(once.with(Fault.LATE).but(RELEASE_UNCONDITIONAL), "S5"),
                new Trial(once.with(Fault.CLOSE).queued().but(RELEASE_KEEPS_PLACE), "L5"),
                new Trial(twice.with(Fault.UNREACHABLE, Fault.CLOSE).queued().but(PLACE_FORGOTTEN), "L5"));
    }
}
