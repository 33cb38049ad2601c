package dev.tenure.spring;

import dev.tenure.ElectionName;
import dev.tenure.Leadership;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The leadership under which the current thread works: set while a {@link LeaderDuty} or {@link LeaderOnly} method or a body of {@link
 * TenureTemplate} runs. Other threads do not inherit it; hand the {@link Leadership} to them.
 */
public final class Leaderships {
    private static final ThreadLocal<@Nullable Bound> INNERMOST = new ThreadLocal<>();

    private record Bound(Leadership leadership, @Nullable Bound outer) {}

    private Leaderships() {}

    /** @throws IllegalStateException if this thread works under no leadership */
    public static Leadership current() {
        return find().orElseThrow(() -> new IllegalStateException(
                "this thread works under no leadership: call it inside a @LeaderDuty or @LeaderOnly method, or a body"
                        + " of TenureTemplate"));
    }

    /** The innermost one, if there is one. */
    public static Optional<Leadership> find() {
        Bound bound = INNERMOST.get();
        return bound == null ? Optional.empty() : Optional.of(bound.leadership);
    }

    /** The one of this election, if there is one. */
    public static Optional<Leadership> find(ElectionName election) {
        for (Bound bound = INNERMOST.get(); bound != null; bound = bound.outer) {
            if (bound.leadership.term().election().equals(election)) {
                return Optional.of(bound.leadership);
            }
        }
        return Optional.empty();
    }

    /** Makes this leadership the current one until the scope is closed, by the same thread and in reverse order. */
    public static Scope open(Leadership leadership) {
        Bound outer = INNERMOST.get();
        INNERMOST.set(new Bound(leadership, outer));
        return () -> {
            if (outer == null) {
                INNERMOST.remove();
            } else {
                INNERMOST.set(outer);
            }
        };
    }

    /** Ends without an exception. */
    public interface Scope extends AutoCloseable {
        @Override
        void close();
    }
}
