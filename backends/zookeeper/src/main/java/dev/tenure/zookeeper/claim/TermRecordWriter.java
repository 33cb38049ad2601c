package dev.tenure.zookeeper.claim;

import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.TermRecord;
import dev.tenure.zookeeper.client.ZooKeeperCalls;
import dev.tenure.zookeeper.client.ZooKeeperError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;

/**
 * Records the terms that began; a grant does not wait for that. Loop-confined.
 *
 * <p>A term is recorded only if its latch still stands. So a term that has ended never overwrites the one after it, and a leader
 * whose latch was removed in the moment of its election learns that from a quorum.
 */
public final class TermRecordWriter {
    /** The process that was just elected begins to work first. */
    private static final Duration AFTER_GRANT = Duration.ofMillis(3);

    private static final Duration RETRY = Duration.ofMillis(50);
    private static final int RETRIES_MAX = 40;

    private final BatchedCalls calls;
    private final Host host;
    private final List<Begun> pending = new ArrayList<>();

    public TermRecordWriter(BatchedCalls calls, Host host) {
        this.calls = calls;
        this.host = host;
    }

    /**
     * A term that began.
     *
     * @param latch that has to stand for the term to be recorded
     * @param holds false if the term is over: its release records that
     * @param latchMissing called if the latch does not stand any more
     */
    public record Begun(String election, String latch, TermRecord term, BooleanSupplier holds, Runnable latchMissing) {}

    public void began(Begun term) {
        pending.add(term);
        if (pending.size() == 1) {
            writeAfter(AFTER_GRANT, RETRIES_MAX);
        }
    }

    /** A process that takes over thousands of elections first takes them all, for two seconds at most. */
    private void writeAfter(Duration pause, int retries) {
        host.wakeAt(host.nanos() + pause.toNanos(), () -> {
            if (calls.isReading() && retries > 0) {
                writeAfter(RETRY, retries - 1);
            } else {
                pending.forEach(this::write);
                pending.clear();
            }
        });
    }

    private void write(Begun begun) {
        List<Op> writes = List.of(
                Op.check(begun.latch, ZooKeeperCalls.ANY_VERSION),
                ZooKeeperCalls.change(begun.election, begun.term.text()));
        Stages.follow(calls.write(writes, begun.holds), done -> {}, failure -> {
            if (ZooKeeperError.is(failure, Code.NONODE) && ZooKeeperError.isAbout(failure, begun.latch)) {
                begun.latchMissing.run();
            }
        });
    }
}
