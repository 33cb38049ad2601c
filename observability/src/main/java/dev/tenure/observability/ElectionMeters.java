// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import dev.tenure.Loss;
import dev.tenure.Standing;
import dev.tenure.Stats;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * The meters under one value of the tag {@code election}. All of them are there from the beginning, because a series that begins with 1 has not
 * increased for Prometheus. The monitor of {@link ClientMeters} guards it.
 */
final class ElectionMeters {
    private final ClientMeters.MeterFactory meters;
    private Snapshot snapshot = Snapshot.NONE;
    private double vacantSeconds;

    /** Sums over the elections that count here; the age is the highest, the remaining time the lowest. */
    private record Snapshot(int valid, int standby, int leading, int draining, double age, double remaining) {
        static final Snapshot NONE = new Snapshot(0, 0, 0, 0, 0, Double.NaN);
    }

    ElectionMeters(ClientMeters.MeterFactory meters) {
        this.meters = meters;
        meters.gauge("tenure.leading", "", "1 if this process leads with authority", () -> snapshot.valid);
        String standing = "Where the candidacy stands";
        meters.with("state", "standby").gauge("tenure.standing", "", standing, () -> snapshot.standby);
        meters.with("state", "leading").gauge("tenure.standing", "", standing, () -> snapshot.leading);
        meters.with("state", "draining").gauge("tenure.standing", "", standing, () -> snapshot.draining);
        meters.gauge("tenure.term.age", "seconds", "How long this process has led the term", () -> snapshot.age);
        String remaining = "How long authority lasts without another renewal";
        meters.gauge("tenure.authority.remaining", "seconds", remaining, () -> snapshot.remaining);
        meters.seconds("tenure.vacant", "Time in which this candidacy knew of no leader", () -> vacantSeconds);
        terms();
        refusals();
        for (Class<?> loss : Loss.class.getPermittedSubclasses()) {
            losses(loss);
        }
        for (boolean either : new boolean[] {false, true}) {
            handovers(either);
            drains(either);
            raises(either);
        }
    }

    Counter terms() {
        return meters.counter("tenure.terms", "Terms that this process has led");
    }

    /** {@code SessionLost} has the reason {@code session_lost}. */
    Counter losses(Class<?> loss) {
        String reason = loss.getSimpleName().replaceAll("\\B([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        return meters.counter("tenure.losses", "Terms that have ended", "reason", reason);
    }

    Timer handovers(boolean failover) {
        String description = "From the notice that the election may be free until this process leads";
        return meters.timer("tenure.handover", description, "kind", failover ? "failover" : "release");
    }

    Timer drains(boolean overdue) {
        String description = "From the order to stop until the duty has ended";
        return meters.timer("tenure.drain", description, "outcome", overdue ? "overdue" : "intime");
    }

    Timer raises(boolean raised) {
        String description = "Raising the fences of a granted term";
        return meters.timer("tenure.fence.raises", description, "outcome", raised ? "raised" : "failed");
    }

    Counter refusals() {
        return meters.counter("tenure.fence.refusals", "Tokens that a resource refused");
    }

    /** Nothing counts here until it is {@linkplain #add added}. */
    void beginSnapshot() {
        snapshot = Snapshot.NONE;
    }

    void add(Stats.ElectionStats now, Optional<Stats.ElectionStats> before, Stats.SessionStats session) {
        Snapshot old = snapshot;
        boolean leads = now.standing() instanceof Standing.Leading;
        double left = leads ? ClientMeters.seconds(session.remaining()) : Double.NaN;
        snapshot = new Snapshot(
                old.valid + (left > 0 ? 1 : 0),
                old.standby + (now.standing() instanceof Standing.Standby ? 1 : 0),
                old.leading + (leads ? 1 : 0),
                old.draining + (now.standing() instanceof Standing.Draining ? 1 : 0),
                Math.max(old.age, ClientMeters.seconds(now.tokenAge())),
                Double.isNaN(old.remaining) || left < old.remaining ? left : old.remaining);
        Duration vacantBefore = before.map(Stats.ElectionStats::withoutLeader).orElse(Duration.ZERO);
        Duration since = now.withoutLeader().minus(vacantBefore);
        // A new candidacy counts from zero, and the counter goes on.
        vacantSeconds += ClientMeters.seconds(since.isNegative() ? now.withoutLeader() : since);
    }
}
