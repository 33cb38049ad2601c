// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.LeaderMetadata;
import dev.tenure.LeaderWatch;
import dev.tenure.cli.command.Console;
import dev.tenure.testing.VirtualHost;
import dev.tenure.testing.VirtualTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeLinesTest {
    private static final ElectionName ELECTION = ElectionName.of("x");

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final ScriptedWatch watch = new ScriptedWatch();

    private List<String> lines(boolean json, LeaderWatch.LeaderState... sights) {
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        VirtualHost host = new VirtualHost("n", new VirtualTime(), 1);
        new WatchCommand.ChangeLines(new Console(out, out, Map.of(), false), host, json, new CompletableFuture<>())
                .follow(watch);
        for (LeaderWatch.LeaderState state : sights) {
            watch.see(state);
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static LeaderWatch.LeaderState led(String node, long token, long sinceMillis) {
        return new LeaderWatch.LeaderState.Led(new Leader(
                ELECTION, node, new FencingToken(token), Instant.ofEpochMilli(sinceMillis), LeaderMetadata.EMPTY));
    }

    /** Some stores show since when a leader leads only a moment after they show that it does. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_leader_whose_beginning_becomes_known_later_is_printed_once(boolean json) {
        List<String> lines = lines(json, led("a", 7, 1_000), led("a", 7, 2_000), led("b", 8, 3_000));

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).contains("7");
        assertThat(lines.get(1)).contains("8");
    }

    @Test
    void a_leader_that_was_out_of_sight_is_printed_again() {
        List<String> lines =
                lines(false, led("a", 7, 1_000), new LeaderWatch.LeaderState.Unknown(), led("a", 7, 1_000));

        assertThat(lines).hasSize(3);
        assertThat(lines.get(1)).endsWith("unknown: no contact with the store");
    }

    /** Sees what it is told to see. */
    private static final class ScriptedWatch implements LeaderWatch {
        private Consumer<Change> listener = change -> {};
        private LeaderState state = new LeaderState.Unknown();

        void see(LeaderState now) {
            Optional<Leader> from = leader();
            state = now;
            listener.accept(new Change(from, leader(), now));
        }

        @Override
        public ElectionName election() {
            return ELECTION;
        }

        @Override
        public LeaderState state() {
            return state;
        }

        @Override
        public void onChange(Consumer<Change> told) {
            listener = told;
        }

        @Override
        public Optional<Leader> await(Duration atMost) {
            return leader();
        }

        @Override
        public void close() {}
    }
}
