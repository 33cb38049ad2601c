// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.world;

import dev.tenure.simulator.store.Injected;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the engine's log while worlds run: nothing is printed, and a bug that the engine reports about itself (an
 * illegal pair of state and event, say) is a violation like any other.
 */
public final class EngineLog extends Handler implements AutoCloseable {
    private static final ThreadLocal<@Nullable SimulatedWorld> RUNNING = new ThreadLocal<>();

    private final Logger logger = Logger.getLogger("dev.tenure");
    private final @Nullable Level levelBefore = logger.getLevel();
    private final boolean parentBefore = logger.getUseParentHandlers();

    private EngineLog() {}

    /** Until it is closed. */
    public static EngineLog listen() {
        EngineLog log = new EngineLog();
        log.logger.setLevel(Level.SEVERE);
        log.logger.setUseParentHandlers(false);
        log.logger.addHandler(log);
        return log;
    }

    /** What this thread's engines report from now on concerns this world. */
    static void concerns(SimulatedWorld world) {
        RUNNING.set(world);
    }

    static void concernsNobody() {
        RUNNING.remove();
    }

    @Override
    public void publish(LogRecord entry) {
        SimulatedWorld world = RUNNING.get();
        Throwable thrown = entry.getThrown();
        boolean bug = entry.getLevel().equals(Level.SEVERE) && thrown != null && !Injected.is(thrown);
        if (world != null && thrown != null && bug) {
            world.explain(thrown);
            world.truth().violated("BUG", entry.getMessage() + ": " + thrown);
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(parentBefore);
        logger.setLevel(levelBefore);
    }
}
