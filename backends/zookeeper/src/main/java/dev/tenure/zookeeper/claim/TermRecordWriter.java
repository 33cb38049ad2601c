package dev.tenure.zookeeper.claim;

import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;

/**
 * Records the terms that began; a grant does not wait for that. One write is under way at a time, and the terms that begin
 * meanwhile go together in the next, so that ten thousand grants cost a few dozen writes. Loop-confined.
 *
 * <p>A term is recorded only if its latch still stands. So a term that has ended never overwrites the one after it, and a leader
 * whose latch was removed in the moment of its election learns that from a quorum.
 */
public final class TermRecordWriter {
    private static final int BATCH_MAX = 128;

    /** The process that was just elected begins to work first. */
    private static final long AFTER_GRANT_NANOS = Duration.ofMillis(3).toNanos();

    private static final long RETRY_NANOS = Duration.ofMillis(50).toNanos();
    private static final int RETRIES_MAX = 40;

    private final ZooKeeperCalls calls;
    private final Host host;
    private final BooleanSupplier busy;
    private final Queue<Begun> pending = new ArrayDeque<>();
    private boolean writing;

    /** @param busy while claims of this session are being decided */
    public TermRecordWriter(ZooKeeperCalls calls, Host host, BooleanSupplier busy) {
        this.calls = calls;
        this.host = host;
        this.busy = busy;
    }

    /** A term that began. Asked only when it is written: very many may wait for that. */
    public interface Begun {
        /** Empty if the term is over: its release records that. */
        Optional<Entry> entry();

        /** Its latch does not stand any more. */
        void latchMissing();
    }

    /** @param latch that has to stand for the term to be recorded */
    public record Entry(String election, String latch, TermRecord term) {
        private List<Op> writes() {
            return List.of(Op.check(latch, ZooKeeperCalls.ANY_VERSION), ZooKeeperCalls.change(election, term.text()));
        }
    }

    private record Write(Begun begun, Entry entry) {}

    public void began(Begun term) {
        pending.add(term);
        if (!writing) {
            writing = true;
            host.wakeAt(host.nanos() + AFTER_GRANT_NANOS, () -> writeWhenIdle(RETRIES_MAX));
        }
    }

    /** A process that takes over thousands of elections first takes them all, for two seconds at most. */
    private void writeWhenIdle(int retries) {
        if (busy.getAsBoolean() && retries > 0) {
            host.wakeAt(host.nanos() + RETRY_NANOS, () -> writeWhenIdle(retries - 1));
        } else {
            writeNext();
        }
    }

    private void writeNext() {
        List<Write> batch = new ArrayList<>();
        while (!pending.isEmpty() && batch.size() < BATCH_MAX) {
            Begun begun = pending.remove();
            begun.entry().ifPresent(entry -> batch.add(new Write(begun, entry)));
        }
        writing = !batch.isEmpty();
        if (writing) {
            Stages.follow(write(batch), done -> writeNext(), failure -> {
                notWritten(batch, failure);
                writeNext();
            });
        }
    }

    private CompletableFuture<?> write(List<Write> batch) {
        List<Op> writes = new ArrayList<>();
        batch.forEach(write -> writes.addAll(write.entry.writes()));
        return calls.write("the elections", writes);
    }

    /** One that is refused (its election was removed, for example) must not keep the others from being written. */
    private void notWritten(List<Write> batch, Throwable failure) {
        if (batch.size() > 1) {
            for (Write write : batch) {
                write.begun.entry().ifPresent(entry -> {
                    List<Write> alone = List.of(new Write(write.begun, entry));
                    Stages.follow(write(alone), done -> {}, refusal -> notWritten(alone, refusal));
                });
            }
        } else if (ZooKeeperError.is(failure, Code.NONODE)
                && ZooKeeperError.isAbout(failure, batch.get(0).entry.latch)) {
            batch.get(0).begun.latchMissing();
        }
    }
}
