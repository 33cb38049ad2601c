// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

import dev.tenure.Leader;
import dev.tenure.Tenure;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.Optional;

/** {@code tenure resign}: asks the leader to step down, from anywhere, and waits until it has. */
public final class ResignCommand implements Command {
    private static final Option WAIT =
            Option.value("--wait", "TIME", "how long to wait for the leader to obey, default 10s");
    private static final Duration WAIT_DEFAULT = Duration.ofSeconds(10);
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);

    @Override
    public Usage usage() {
        return new Usage(
                "resign",
                "ask the leader to step down",
                """
                The leader finishes its work first, lets others go ahead and then stands again. Exits 1 if nobody leads, 69 if
                the leader has not obeyed in time; the request then stays until it does. A leader that is no candidate of
                Tenure obeys no request: then none is left, and it exits 69 and says how to end it.""",
                Form.of("NAME").taking(StoreOptions.URL, WAIT, Option.JSON),
                "tenure resign billing/sweeper");
    }

    @Override
    public int run(Options options, Console console) throws InterruptedException {
        String name = StoreOptions.election(options.operand(0)).value();
        Duration wait = options.duration(WAIT).orElse(WAIT_DEFAULT);
        Host host = StoreOptions.host();
        try (Tenure tenure = StoreOptions.open(options, host)) {
            Leader asked = tenure.askToResign(name)
                    .toCompletableFuture()
                    .join()
                    .orElseThrow(() -> new CliException(ExitCode.NO, "nobody leads " + name));
            asked.foreign().ifPresent(foreign -> {
                throw new CliException(ExitCode.UNAVAILABLE, LeaderText.remedy(asked, foreign));
            });
            Optional<Leader> next = awaitNext(tenure, host, asked, wait);
            console.print(
                    options,
                    Json.object(
                            "election", name,
                            "resigned", LeaderText.json(asked),
                            "leader", next.map(LeaderText::json)),
                    asked.node() + " stepped down from token " + asked.token() + "; "
                            + next.map(leader -> "now " + LeaderText.sentence(leader))
                                    .orElse("nobody leads yet"));
            return ExitCode.OK;
        }
    }

    private static Optional<Leader> awaitNext(Tenure tenure, Host host, Leader asked, Duration wait)
            throws InterruptedException {
        long byNanos = host.nanos() + wait.toNanos();
        String name = asked.election().value();
        do {
            Optional<Leader> now = tenure.leaderOf(name).toCompletableFuture().join();
            boolean obeyed = now.isEmpty() || now.get().token().isNewerThan(asked.token());
            if (obeyed) {
                return now;
            }
            host.signal().await(LOOK_EVERY.toNanos());
        } while (host.nanos() - byNanos < 0);
        throw new CliException(
                ExitCode.UNAVAILABLE,
                LeaderText.sentence(asked) + " still, " + DurationText.format(wait)
                        + " after it was asked to step down; the request stays, so it will when it is able to");
    }
}
