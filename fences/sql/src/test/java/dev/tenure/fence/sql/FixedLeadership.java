// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Term;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A leadership that believes for ever, as that of a paused process does, and remembers who told it better. */
record FixedLeadership(Term term, List<FencingToken> toldOf) implements Leadership {
    FixedLeadership(Term term) {
        this(term, new CopyOnWriteArrayList<>());
    }

    @Override
    public boolean isActive() {
        return true;
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public void ensureValid() {}

    @Override
    public Duration remaining() {
        return Duration.ofDays(1);
    }

    @Override
    public void rest(Duration duration) {}

    @Override
    public void onLoss(Consumer<Loss> listener) {}

    @Override
    public void onRenewal(Runnable listener) {}

    @Override
    public void fenced(FencingToken seen) {
        toldOf.add(seen);
    }
}
