// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The programmatic twin of {@link LeaderOnly}, for elections that an annotation or a bean of type {@link dev.tenure.Campaign} names. Safe for any thread. */
public final class TenureTemplate {
    private final TenureLifecycle elections;

    TenureTemplate(TenureLifecycle elections) {
        this.elections = elections;
    }

    /** Work that returns nothing. */
    @FunctionalInterface
    public interface Action<E extends Throwable> {
        void run(Leadership leadership) throws E;
    }

    /** Work that returns something. */
    @FunctionalInterface
    public interface Query<T extends @Nullable Object, E extends Throwable> {
        T run(Leadership leadership) throws E;
    }

    /** Whether this process leads, at this moment. */
    public boolean isLeading(String election) {
        return elections.named(election).isLeading();
    }

    /**
     * Runs the work on this thread if this process leads; the term is not released before it has returned.
     *
     * @return whether it ran
     */
    public <E extends Throwable> boolean ifLeading(String election, Action<E> work) throws E {
        return elections.named(election).ifLeading(work);
    }

    /**
     * The same for work that must run.
     *
     * @throws NotLeadingException if this process does not lead, or has lost authority when the work returns
     */
    public <T extends @Nullable Object, E extends Throwable> T leading(String election, Query<T, E> work) throws E {
        List<T> result = new ArrayList<>(1);
        boolean ran = this.<E>ifLeading(election, leadership -> {
            result.add(work.run(leadership));
            leadership.ensureValid();
        });
        if (!ran) {
            throw new NotLeadingException("this process does not lead election " + election);
        }
        return result.get(0);
    }
}
