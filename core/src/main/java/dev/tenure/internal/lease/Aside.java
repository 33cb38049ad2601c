package dev.tenure.internal.lease;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletionStage;

/** Work that nobody waits for: its failure is told in the log and costs nothing else. */
final class Aside {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private Aside() {}

    static void run(String doing, CompletionStage<?> work) {
        work.whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.log(Level.DEBUG, doing + " failed", failure);
            }
        });
    }
}
