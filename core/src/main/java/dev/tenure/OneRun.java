package dev.tenure;

import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** A duty that runs once, however often its candidacy is elected, and keeps what came of it. */
final class OneRun implements Duty {
    private final Duty body;
    private final Host.Signal begun;
    private final Host.Signal over;
    private volatile Optional<Throwable> failure = Optional.empty();
    private volatile boolean lostMeanwhile;

    OneRun(Duty body, Host host) {
        this.body = body;
        this.begun = host.signal();
        this.over = host.signal();
    }

    @Override
    public void perform(Leadership leadership) {
        if (begun.isSet()) {
            return;
        }
        begun.set();
        try {
            body.perform(leadership);
        } catch (Throwable thrown) {
            failure = Optional.of(thrown);
        } finally {
            lostMeanwhile = !leadership.isActive();
            over.set();
        }
    }

    void await(Candidacy candidacy, Duration waitAtMost) throws Exception {
        if (!begun.await(DurationText.nanos(waitAtMost))) {
            candidacy.close();
            if (!begun.isSet()) {
                throw new TimeoutException(
                        "not elected in " + candidacy.election() + " within " + waitAtMost.toMillis() + " ms");
            }
        }
        while (!over.await(Duration.ofHours(1).toNanos())) {
            // the body may take as long as it likes
        }
    }

    void rethrow(String election) throws Exception {
        if (failure.isPresent() && failure.get() instanceof Error error) {
            throw error;
        }
        if (failure.isPresent()) {
            throw (Exception) failure.get();
        }
        if (lostMeanwhile) {
            throw new NotLeadingException("leadership of " + election + " was lost while the body ran");
        }
    }
}
