package dev.tenure.zookeeper;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;

/** Calls that nobody waits for. */
final class Aside {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private Aside() {}

    static void run(CompletableFuture<?> call) {
        CompletableFuture<?> unused = call.whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.log(Level.DEBUG, "a call that nobody waits for has failed", failure);
            }
        });
    }
}
