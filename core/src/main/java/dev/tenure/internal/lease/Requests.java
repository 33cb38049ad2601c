package dev.tenure.internal.lease;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;

/** What operators ask of whoever leads. Loop-confined. */
final class Requests {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final LoopStore store;
    private final SessionEvents events;
    private boolean closed;

    Requests(LoopStore store, SessionEvents events) {
        this.store = store;
        this.events = events;
    }

    void look() {
        if (closed) {
            return;
        }
        Stages.ignore("looking for requests", store.list(RequestRecord.PREFIX).thenAccept(found -> {
            if (!closed) {
                found.forEach(this::tell);
            }
        }));
    }

    /** One damaged request must not hide the others. */
    private void tell(Versioned stored) {
        try {
            events.requested(RequestRecord.of(stored));
        } catch (BackendException corrupt) {
            LOG.log(Level.WARNING, corrupt.getMessage());
        }
    }

    CompletableFuture<Void> clear(OperatorRequest request) {
        return store.read(RequestRecord.key(request.election())).thenCompose(found -> {
            if (found.isPresent() && RequestRecord.of(found).equals(request)) {
                return store.delete(found).thenApply(reply -> null);
            }
            return CompletableFuture.completedFuture(null);
        });
    }

    void close() {
        closed = true;
    }
}
