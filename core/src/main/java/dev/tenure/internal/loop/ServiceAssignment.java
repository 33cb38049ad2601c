package dev.tenure.internal.loop;

import dev.tenure.ActivePassive;
import dev.tenure.Loss;
import dev.tenure.StaleTokenException;
import dev.tenure.spi.Host;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A service that is switched on and off: its calls follow each other, and none of them keeps a thread. */
final class ServiceAssignment implements Assignment {
    private final ActivePassive service;
    private final Host host;
    /** Completes with what went wrong, if anything, when the activation is over. */
    private CompletionStage<Optional<Loss>> activation = CompletableFuture.completedFuture(Optional.empty());

    private Consumer<Loss> ended = loss -> {};

    ServiceAssignment(ActivePassive service, Host host) {
        this.service = service;
        this.host = host;
    }

    @Override
    public void begin(LiveLeadership leadership, Consumer<Loss> whenEnded) {
        CompletableFuture<Optional<Loss>> activating = new CompletableFuture<>();
        activation = activating;
        ended = whenEnded;
        host.call(() -> {
            // A busy executor may come to it when the term is over, or the client closed: then nothing is switched on.
            Optional<Loss> failure = leadership.isActive()
                    ? failureOf(() -> service.activate(leadership))
                    : Optional.of(new Loss.Expired());
            failure.ifPresent(whenEnded);
            activating.complete(failure);
        });
    }

    @Override
    public void stop(Loss loss) {
        Consumer<Loss> whenEnded = ended;
        activation.thenAccept(failure -> {
            if (failure.isEmpty()) {
                host.call(() -> whenEnded.accept(
                        failureOf(() -> service.deactivate(loss)).orElse(loss)));
            }
        });
    }

    @Override
    public void interrupt() {}

    private interface UserCode {
        void run() throws Exception;
    }

    private static Optional<Loss> failureOf(UserCode code) {
        try {
            code.run();
            return Optional.empty();
        } catch (StaleTokenException stale) {
            return Optional.of(new Loss.Fenced(stale.seen()));
        } catch (Throwable failure) {
            return Optional.of(new Loss.DutyFailed(failure));
        }
    }
}
