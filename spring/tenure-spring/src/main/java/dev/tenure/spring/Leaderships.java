// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.ElectionName;
import dev.tenure.Leadership;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The leadership under which the current thread works: set while a {@link LeaderDuty} or {@link LeaderOnly} method or a body of {@link
 * TenureTemplate} runs. Other threads do not inherit it; hand the {@link Leadership} to them.
 */
public final class Leaderships {
    private static final ThreadLocal<List<Leadership>> INNERMOST_FIRST = ThreadLocal.withInitial(List::of);

    private Leaderships() {}

    /** @throws IllegalStateException if this thread works under no leadership */
    public static Leadership current() {
        return find().orElseThrow(() -> new IllegalStateException(
                "this thread works under no leadership: call it inside a @LeaderDuty or @LeaderOnly method, or a body"
                        + " of TenureTemplate"));
    }

    /** The innermost one, if there is one. */
    public static Optional<Leadership> find() {
        return INNERMOST_FIRST.get().stream().findFirst();
    }

    /** The one of this election, if there is one. */
    public static Optional<Leadership> find(ElectionName election) {
        return INNERMOST_FIRST.get().stream()
                .filter(leadership -> leadership.term().election().equals(election))
                .findFirst();
    }

    /** Makes this leadership the current one until the scope is closed, by the same thread and in reverse order. */
    public static Scope open(Leadership leadership) {
        List<Leadership> outer = INNERMOST_FIRST.get();
        INNERMOST_FIRST.set(Stream.concat(Stream.of(leadership), outer.stream()).toList());
        return () -> {
            if (outer.isEmpty()) {
                INNERMOST_FIRST.remove(); // the thread may live long
            } else {
                INNERMOST_FIRST.set(outer);
            }
        };
    }

    /** Ends without an exception. */
    public interface Scope extends AutoCloseable {
        @Override
        void close();
    }
}
