package dev.tenure;

import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.internal.loop.Standpoint;
import dev.tenure.spi.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How this process stands in one election: immutable, so each method returns a changed copy. {@link #perform} or
 * {@link #run} begins to stand.
 */
public final class Campaign {
    private final Tenure tenure;
    private final ElectionName election;
    private final Settings settings;

    private record Settings(
            String holder,
            Card card,
            Optional<Duration> drain,
            Optional<Duration> coolDown,
            Overdue overdue,
            boolean repeats,
            List<Fence> fences) {}

    Campaign(Tenure tenure, ElectionName election, String holder) {
        this(
                tenure,
                election,
                new Settings(
                        holder, Card.EMPTY, Optional.empty(), Optional.empty(), Overdue.KEEP_CLAIM, false, List.of()));
    }

    private Campaign(Tenure tenure, ElectionName election, Settings settings) {
        this.tenure = tenure;
        this.election = election;
        this.settings = settings;
    }

    /** The name shown to operators and watchers; not used for safety. */
    public Campaign as(String holder) {
        return with(new Settings(
                NodeName.check(holder),
                settings.card,
                settings.drain,
                settings.coolDown,
                settings.overdue,
                settings.repeats,
                settings.fences));
    }

    /** What watchers see beside the name, such as an address. */
    public Campaign card(String key, String value) {
        return with(new Settings(
                settings.holder,
                settings.card.with(key, value),
                settings.drain,
                settings.coolDown,
                settings.overdue,
                settings.repeats,
                settings.fences));
    }

    /** How long the duty may take to stop; a fifth of the TTL unless told. */
    public Campaign drainWithin(Duration budget) {
        return with(new Settings(
                settings.holder,
                settings.card,
                Optional.of(budget),
                settings.coolDown,
                settings.overdue,
                settings.repeats,
                settings.fences));
    }

    /** How long to stand back after a duty failed; half the TTL unless told. */
    public Campaign coolDown(Duration pause) {
        return with(new Settings(
                settings.holder,
                settings.card,
                settings.drain,
                Optional.of(pause),
                settings.overdue,
                settings.repeats,
                settings.fences));
    }

    /** What happens when the duty has not stopped in time. */
    public Campaign onOverdue(Overdue action) {
        return with(new Settings(
                settings.holder,
                settings.card,
                settings.drain,
                settings.coolDown,
                action,
                settings.repeats,
                settings.fences));
    }

    /** A duty that returns is not complete: it stands again and runs again. */
    public Campaign again() {
        return with(new Settings(
                settings.holder,
                settings.card,
                settings.drain,
                settings.coolDown,
                settings.overdue,
                true,
                settings.fences));
    }

    /** Fences that are raised to the new token after the grant and before the duty starts. */
    public Campaign fencedBy(Fence... fences) {
        List<Fence> all = new ArrayList<>(settings.fences);
        all.addAll(List.of(fences));
        return with(new Settings(
                settings.holder,
                settings.card,
                settings.drain,
                settings.coolDown,
                settings.overdue,
                settings.repeats,
                List.copyOf(all)));
    }

    /** Stands, and performs this duty while leading. */
    public Candidacy perform(Duty duty) {
        return tenure.stand(standpoint(Standpoint.Work.of(duty)));
    }

    /** Stands, and switches this service on and off with leadership. */
    public Candidacy run(ActivePassive service) {
        return tenure.stand(standpoint(Standpoint.Work.of(service)));
    }

    private Standpoint standpoint(Standpoint.Work work) {
        Duration drain = settings.drain.orElseGet(() -> tenure.ttl().dividedBy(5));
        tenure.requireRoomFor(drain);
        ElectionRules rules = new ElectionRules(
                election,
                settings.holder,
                DurationText.nanos(drain),
                DurationText.nanos(
                        settings.coolDown.orElseGet(() -> tenure.ttl().dividedBy(2))),
                tenure.standBack().toNanos(),
                settings.repeats,
                !settings.fences.isEmpty(),
                tenure.standoff(),
                settings.overdue);
        return new Standpoint(rules, settings.card, settings.fences, work);
    }

    private Campaign with(Settings changed) {
        return new Campaign(tenure, election, changed);
    }
}
