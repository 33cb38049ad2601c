// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import dev.tenure.internal.engine.ElectionRules;
import dev.tenure.internal.runtime.term.CandidacySpec;
import dev.tenure.internal.runtime.term.CandidacySpec.CandidacyOptions;
import dev.tenure.spi.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How this process stands in one election: immutable, so each method returns a changed copy. {@link #perform} or
 * {@link #run} begins to stand.
 */
public final class Campaign {
    private final Tenure tenure;
    private final ElectionName election;
    private final CandidacyOptions options;

    Campaign(Tenure tenure, ElectionName election, CandidacyOptions options) {
        this.tenure = tenure;
        this.election = election;
        this.options = options;
    }

    /** The election that this campaign stands in. */
    public ElectionName election() {
        return election;
    }

    /** The name shown to operators and watchers; not used for safety. */
    public Campaign as(String holder) {
        Objects.requireNonNull(holder, "holder is null: name who stands, as operators are to see it");
        return with(
                new CandidacyOptions(NodeName.check(holder), options.rules(), options.metadata(), options.fences()));
    }

    /** What watchers see beside the name, such as an address. */
    public Campaign metadata(String key, String value) {
        Objects.requireNonNull(key, "key is null: an entry of the metadata needs a key");
        Objects.requireNonNull(value, "value is null: an entry of the metadata needs a value");
        return with(new CandidacyOptions(
                options.holder(), options.rules(), options.metadata().with(key, value), options.fences()));
    }

    /**
     * How long the duty may take to stop; a fifth of the TTL unless set, and nothing where a store gives no time for it. A duty
     * that resigns or is closed has at least the margin of the lease (0.05 of the TTL, at most 250 ms), up to its deadline.
     */
    public Campaign drainWithin(Duration budget) {
        Objects.requireNonNull(budget, "budget is null: say how long the duty may take to stop");
        return with(options.rules().withDrain(DurationText.nanos(budget)));
    }

    /** How long to stand back after a duty failed; half the TTL unless set. */
    public Campaign coolDown(Duration pause) {
        Objects.requireNonNull(pause, "pause is null: say how long to stand back after a failure");
        return with(options.rules().withCoolDown(DurationText.nanos(pause)));
    }

    /** What happens when the duty has not stopped in time. */
    public Campaign onOverdue(OverduePolicy action) {
        Objects.requireNonNull(action, "action is null: say what happens when a duty has not stopped in time");
        return with(options.rules().withOverdue(action));
    }

    /** A duty that returns is not complete: it stands again and runs again. */
    public Campaign repeat() {
        return with(options.rules().repeating());
    }

    /** Fences that are raised to the new token after the grant and before the duty starts. */
    public Campaign fencedBy(Fence... fences) {
        Objects.requireNonNull(fences, "fences is null: pass the fences to be raised, or none");
        for (Fence fence : fences) {
            Objects.requireNonNull(fence, "fences contains null: pass fences that can be raised");
        }
        if (fences.length == 0) {
            return this;
        }
        List<Fence> all = new ArrayList<>(options.fences());
        all.addAll(List.of(fences));
        return with(new CandidacyOptions(options.holder(), options.rules().withFences(), options.metadata(), all));
    }

    /** Stands, and performs this duty while leading. */
    public Candidacy perform(Duty duty) {
        Objects.requireNonNull(duty, "duty is null: pass what is to run while leading");
        return tenure.stand(CandidacySpec.of(election, options, duty));
    }

    /** Stands, and switches this service on and off with leadership. */
    public Candidacy run(ActivePassive service) {
        Objects.requireNonNull(service, "service is null: pass what is to be switched on while leading");
        return tenure.stand(CandidacySpec.of(election, options, service));
    }

    private Campaign with(ElectionRules rules) {
        return with(options.with(rules));
    }

    private Campaign with(CandidacyOptions changed) {
        return new Campaign(tenure, election, changed);
    }
}
