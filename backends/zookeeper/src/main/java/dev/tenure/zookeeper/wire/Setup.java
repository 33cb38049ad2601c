package dev.tenure.zookeeper.wire;

import dev.tenure.wire.Reactor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;

/**
 * What a client needs.
 *
 * @param timeoutMillis what to ask the servers for
 * @param connects for calls that wait
 * @param clock monotonic, in nanoseconds
 * @param chance uniformly random bits
 */
public record Setup(
        List<Server> servers,
        Optional<SSLContext> tls,
        Credentials credentials,
        int timeoutMillis,
        Reactor reactor,
        Executor connects,
        Timers timers,
        LongSupplier clock,
        LongSupplier chance) {
    public Setup {
        servers = List.copyOf(servers);
    }

    /** Later, on some thread. */
    @FunctionalInterface
    public interface Timers {
        void after(Duration delay, Runnable event);
    }
}
