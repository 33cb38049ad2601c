package dev.tenure.jdbc.advisory;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;

/** For what is done beside a call: nobody waits for it, and its failure is somebody else's to tell. */
final class Aside {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private Aside() {}

    static void run(String doing, CompletableFuture<?> call) {
        CompletableFuture<?> unused = call.whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.log(Level.DEBUG, doing + " failed", failure);
            }
        });
    }
}
