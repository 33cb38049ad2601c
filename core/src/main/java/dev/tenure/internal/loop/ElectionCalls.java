package dev.tenure.internal.loop;

import dev.tenure.ElectionName;
import dev.tenure.spi.Host;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * Calls listeners of elections, one call at a time for each election. So a listener that hangs keeps one thread, however many
 * terms and candidacies of its election follow. An election without such calls costs nothing. Safe for any thread.
 */
final class ElectionCalls {
    private final String name;
    private final int waitingMax;
    private final Host host;
    private final Executor threads;
    private final Map<ElectionName, SerialExecutor> queues = new ConcurrentHashMap<>();

    /** @param name of a listener, as the log shows it in front of the election */
    ElectionCalls(String name, int waitingMax, Host host, Executor threads) {
        this.name = name;
        this.waitingMax = waitingMax;
        this.host = host;
        this.threads = threads;
    }

    void run(ElectionName election, Runnable call) {
        queues.compute(election, (same, present) -> {
            SerialExecutor queue = present == null ? queueOf(election) : present;
            queue.execute(call);
            return queue;
        });
    }

    private SerialExecutor queueOf(ElectionName election) {
        return new SerialExecutor(
                name + " of " + election,
                waitingMax,
                host,
                calls -> threads.execute(() -> {
                    calls.run();
                    queues.computeIfPresent(election, (same, queue) -> queue.isIdle() ? null : queue);
                }));
    }
}
