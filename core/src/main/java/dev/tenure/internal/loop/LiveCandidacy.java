package dev.tenure.internal.loop;

import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Loss;
import dev.tenure.Standing;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The handle of one candidacy: any thread. */
public final class LiveCandidacy implements Candidacy, Candidate.Handle {
    private final Engine engine;
    private final Standpoint standpoint;
    private final long closeWithinNanos;
    private final CompletableFuture<Loss> retired = new CompletableFuture<>();
    private final Host.Signal over;
    private Consumer<LiveCandidacy> whenOver = over -> {};
    private List<Host.Signal> awaiting = List.of();
    private volatile Optional<Candidate> candidate = Optional.empty();
    private volatile Optional<Loss> ended = Optional.empty();

    private LiveCandidacy(Engine engine, Standpoint standpoint, Duration closeWithin) {
        this.engine = engine;
        this.standpoint = standpoint;
        this.closeWithinNanos = DurationText.nanos(closeWithin);
        this.over = engine.host().signal();
    }

    /** @param closeWithin how long {@link #close()} may take */
    public static LiveCandidacy of(Engine engine, Standpoint standpoint, Duration closeWithin) {
        return new LiveCandidacy(engine, standpoint, closeWithin);
    }

    /** Called once, on the loop or a call thread, when it has retired. Set before it stands. */
    public void whenOver(Consumer<LiveCandidacy> action) {
        whenOver = action;
    }

    /** Warms up, off the loop, and then stands. */
    public void stand() {
        engine.host().call(this::warmUpAndStand);
    }

    private void warmUpAndStand() {
        try {
            standpoint.work().warmUp();
        } catch (Throwable failure) {
            retired(new Loss.DutyFailed(failure));
            return;
        }
        engine.post(() -> {
            if (over.isSet()) {
                return; // closed before it stood
            }
            candidate = Optional.of(engine.stand(standpoint, this));
            wakeAwaiting();
        });
    }

    /** On the loop: whoever waits for leading waits in vain once the candidacy is over. */
    private void wakeAwaiting() {
        if (isLeading() || over.isSet()) {
            awaiting.forEach(Host.Signal::set);
            awaiting = List.of();
        }
    }

    @Override
    public void leads() {
        wakeAwaiting();
    }

    @Override
    public void retired(Loss loss) {
        ended = Optional.of(loss);
        whenOver.accept(this);
        over.set();
        engine.post(this::wakeAwaiting);
        engine.inOrder(() -> retired.complete(loss));
    }

    @Override
    public ElectionName election() {
        return standpoint.rules().election();
    }

    @Override
    public Standing standing() {
        Optional<Loss> loss = ended;
        if (loss.isPresent()) {
            return new Standing.Retired(loss.get());
        }
        return candidate.map(Candidate::standing).orElseGet(Standing.Standby::new);
    }

    @Override
    public void resign(String why) {
        engine.post(() -> ifStanding(new Loss.Resigned(why)));
    }

    private void ifStanding(Loss loss) {
        candidate.ifPresent(mine -> {
            if (engine.candidate(election()).filter(now -> now == mine).isPresent()) {
                engine.end(election(), loss);
            }
        });
    }

    @Override
    public CompletionStage<Loss> retired() {
        return retired.copy();
    }

    @Override
    public boolean awaitLeading(Duration atMost) throws InterruptedException {
        Host.Signal leading = engine.host().signal();
        engine.post(() -> {
            awaiting = Stream.concat(awaiting.stream(), Stream.of(leading)).toList();
            wakeAwaiting();
        });
        leading.await(DurationText.nanos(atMost));
        engine.post(() ->
                awaiting = awaiting.stream().filter(other -> other != leading).toList());
        return isLeading();
    }

    @Override
    public void close() {
        beginClose();
        awaitRetired(closeWithin());
    }

    public void beginClose() {
        engine.post(() -> {
            if (candidate.isPresent()) {
                ifStanding(new Loss.Closed());
            } else if (!over.isSet()) {
                retired(new Loss.Closed());
            }
        });
    }

    /** Returns whether it has retired. */
    public boolean awaitRetired(Duration atMost) {
        try {
            return over.await(Math.max(0, DurationText.nanos(atMost)));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return over.isSet();
        }
    }

    /** Does user code of it still run? */
    public boolean isRunning() {
        return candidate.filter(Candidate::isRunning).isPresent();
    }

    public Duration closeWithin() {
        return Duration.ofNanos(closeWithinNanos);
    }
}
