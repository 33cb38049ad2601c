// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.run;

import dev.tenure.TenureEvent;
import dev.tenure.TenureListener;
import dev.tenure.cli.command.CliException;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Ends a {@code run} that waits for a store in vain: at once where waiting cannot help, after {@code --wait} without a
 * session otherwise. A command that still runs is never abandoned for it; its term ends by its own clock first.
 *
 * <p>Settings that cannot work show at the beginning. Once they have worked, a store that refuses them (somebody has dropped a
 * table, or changed a password before the file with it) is one that may take them again.
 */
final class StoreTimeout implements TenureListener {
    private static final Duration PROVEN_AFTER = Duration.ofSeconds(10);

    private final Host host;
    private final Duration wait;
    private final SignalRelay signals;
    private final CompletableFuture<Integer> verdict;
    private String problem = "it did not answer";
    private boolean session;
    private OptionalLong openedNanos = OptionalLong.empty();
    private boolean elected;
    private int losses;

    StoreTimeout(Host host, Duration wait, SignalRelay signals, CompletableFuture<Integer> verdict) {
        this.host = host;
        this.wait = wait;
        this.signals = signals;
        this.verdict = verdict;
    }

    synchronized void begin() {
        giveUpLater(losses, wait);
    }

    @Override
    public synchronized void on(TenureEvent event) {
        if (event instanceof TenureEvent.SessionOpened) {
            session = true;
            openedNanos = OptionalLong.of(openedNanos.orElse(host.nanos()));
        } else if (event instanceof TenureEvent.Elected) {
            elected = true;
        } else if (event instanceof TenureEvent.SessionLost) {
            session = false;
            losses++;
            giveUpLater(losses, wait);
        } else if (event instanceof TenureEvent.StoreError trouble) {
            problem = trouble.problem();
            CliException failure = CliException.of(trouble.cause());
            if (failure.isHopeless() && (failure.code() == ExitCode.CORRUPT || !haveSettingsWorked())) {
                signals.ifIdle(() -> verdict.completeExceptionally(failure));
            }
        }
    }

    private boolean haveSettingsWorked() {
        return elected || (openedNanos.isPresent() && host.nanos() - openedNanos.getAsLong() >= PROVEN_AFTER.toNanos());
    }

    private void giveUpLater(int loss, Duration after) {
        RunCommand.later(host, after, () -> giveUp(loss));
    }

    private synchronized void giveUp(int loss) {
        if (session || loss != losses || verdict.isDone()) {
            return;
        }
        signals.ifIdle(() -> verdict.completeExceptionally(new CliException(
                ExitCode.UNAVAILABLE,
                "the store cannot be reached within " + DurationText.format(wait) + ": " + problem)));
        if (!verdict.isDone()) {
            giveUpLater(loss, Duration.ofSeconds(1));
        }
    }
}
