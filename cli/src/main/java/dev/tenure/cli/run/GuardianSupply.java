package dev.tenure.cli.run;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.process.Guardian;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** One guardian per term, the next one made ready before it is needed. */
final class GuardianSupply implements AutoCloseable {
    private final List<String> command;
    private final Duration grace;
    private final Host host;
    private volatile CompletableFuture<Guardian> current;

    /** @throws Failure if there cannot be one on this machine */
    GuardianSupply(List<String> command, Duration grace, Host host) {
        this.command = command;
        this.grace = grace;
        this.host = host;
        this.current = CompletableFuture.completedFuture(prepare());
    }

    private Guardian prepare() {
        try {
            return Guardian.prepare(command, grace);
        } catch (IOException refused) {
            throw new Failure(ExitCode.CANNOT_RUN, String.valueOf(refused.getMessage()), refused);
        }
    }

    /** @throws RuntimeException with a {@link Failure}, if there is none any more */
    Guardian current() {
        return current.join();
    }

    /** The current one has served its term. Does not wait: whoever stands by must not be kept from leading meanwhile. */
    void next() {
        Guardian served = current();
        Supplier<Guardian> next = () -> {
            served.close();
            return prepare();
        };
        current = CompletableFuture.supplyAsync(next, host::call);
    }

    @Override
    public void close() {
        var unused = current.thenAccept(Guardian::close);
    }
}
