package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The second connection of a session: it always waits for one thing, and what that is can be changed. Loop-confined.
 *
 * <p>A wait that is no longer wanted is cancelled, and the next one begins when it has surely ended: a cancelled wait may have
 * brought its lock a moment before, and that is told.
 */
final class Vigil {
    private static final long CANCEL_AGAIN_NANOS = 100_000_000;
    private static final long REST_NANOS_MAX = 1_000_000_000;

    /** Whom it tells, on the loop. */
    interface Watcher {
        void ended(long lineKey);

        /** The line that waited is gone. */
        void broken();

        /** @param line the one that has waited; if it has won, it belongs to the watcher now */
        void judged(Line line, Verdict verdict);
    }

    private final Host host;
    private final Wait.Opening opening;
    private final Claims claims;
    private final Member me;
    private final Watcher watcher;
    private Aim aim = new Aim.Nothing();
    private Optional<Wait> running = Optional.empty();
    private Optional<Line> spare = Optional.empty();
    private final Set<Line> coming = new HashSet<>();
    private CompletableFuture<Void> cancelling = CompletableFuture.completedFuture(null);
    private boolean resting;
    private boolean closed;

    Vigil(Host host, Wait.Opening opening, Claims claims, Member me, Watcher watcher) {
        this.host = host;
        this.opening = opening;
        this.claims = claims;
        this.me = me;
        this.watcher = watcher;
    }

    Aim aim() {
        return aim;
    }

    /** May a wait for this election still be granted its lock? */
    boolean mayWin(ElectionName election) {
        return running.filter(wait -> wait.aim().isTurnOf(election)).isPresent();
    }

    /** The server process that waits, or 0. */
    int pid() {
        return running.flatMap(Wait::line).map(line -> line.identity().pid()).orElse(0);
    }

    void aimAt(Aim next) {
        if (next.equals(aim) || closed) {
            return;
        }
        aim = next;
        running.ifPresentOrElse(this::stop, this::begin);
    }

    /** Waits for nothing any more; completed on the loop when this is so. */
    CompletableFuture<Void> halt() {
        aimAt(new Aim.Nothing());
        return running.map(Wait::over).orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    /**
     * A line that has nothing any more, and waits from now on. A moment later, because it must not get into the way of a duty
     * that begins, and behind what is still being said on it; so long no other one is opened for that.
     */
    void inherit(Line line) {
        if (closed) {
            line.end("the session is over");
            return;
        }
        coming.add(line);
        host.wakeAt(
                host.nanos() + Herald.MOMENT_NANOS,
                () -> Aside.run(
                        "changing over",
                        line.run(connection -> true).whenComplete((done, failure) -> host.post(() -> arrived(line)))));
    }

    private void arrived(Line line) {
        coming.remove(line);
        keep(line);
        if (running.isEmpty()) {
            begin();
        }
    }

    /** A line that nobody needs. */
    private void keep(Line line) {
        if (closed || spare.isPresent() || line.isEnded()) {
            line.end("not needed");
        } else {
            spare = Optional.of(line);
        }
    }

    /** The server does not know of this wait: its connection has died without a word. */
    void restart() {
        running.flatMap(Wait::line).ifPresent(line -> line.end("the server does not wait for it"));
    }

    void close() {
        closed = true;
        aim = new Aim.Nothing();
        running.ifPresent(Wait::stop);
        List<Line> lines = new ArrayList<>(coming);
        running.flatMap(Wait::line).ifPresent(lines::add);
        spare.ifPresent(lines::add);
        host.io().execute(() -> lines.forEach(line -> line.end("the session is over")));
    }

    private void begin() {
        if (closed || resting || !coming.isEmpty() || aim instanceof Aim.Nothing) {
            return;
        }
        Wait wait = new Wait(aim, spare, claims, me);
        spare = Optional.empty();
        running = Optional.of(wait);
        host.perform("tenure-wait", () -> {
            Wait.Outcome outcome = wait.run(opening);
            host.post(() -> ended(wait, outcome));
        });
    }

    /** Not while somebody may still cancel what runs on its line: that would be the next one. */
    private void ended(Wait wait, Wait.Outcome outcome) {
        if (cancelling.isDone()) {
            over(wait, outcome);
        } else {
            Aside.run("the end of a wait", cancelling.thenRun(() -> host.post(() -> over(wait, outcome))));
        }
    }

    /** Again and again, because what is cancelled too early goes on. */
    private void stop(Wait wait) {
        wait.stop();
        if (running.filter(wait::equals).isEmpty()) {
            return;
        }
        if (cancelling.isDone()) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            cancelling = done;
            host.io().execute(() -> {
                wait.line().ifPresent(Line::cancel);
                done.complete(null);
            });
        }
        host.wakeAt(host.nanos() + CANCEL_AGAIN_NANOS, () -> stop(wait));
    }

    private void over(Wait wait, Wait.Outcome outcome) {
        running = Optional.empty();
        if (outcome instanceof Wait.Outcome.Broken) {
            rest();
            watcher.broken();
        } else if (outcome instanceof Wait.Outcome.Ended ended) {
            wait.line().ifPresent(this::keep);
            forget(wait);
            watcher.ended(ended.lineKey());
        } else if (outcome instanceof Wait.Outcome.Judged judged) {
            if (!(judged.verdict() instanceof Verdict.Won)) {
                wait.line().ifPresent(this::keep);
            }
            forget(wait);
            wait.line().ifPresent(line -> watcher.judged(line, judged.verdict()));
        } else {
            wait.line().ifPresent(this::keep);
        }
        wait.over().complete(null);
        if (running.isEmpty()) {
            begin();
        }
    }

    private void forget(Wait wait) {
        if (aim.equals(wait.aim())) {
            aim = new Aim.Nothing();
        }
    }

    /** A server that lets nobody wait is not asked again at once. */
    private void rest() {
        resting = true;
        host.wakeAt(host.nanos() + Math.min(REST_NANOS_MAX, me.ttl().toNanos() / 4), () -> {
            resting = false;
            if (running.isEmpty()) {
                begin();
            }
        });
    }
}
