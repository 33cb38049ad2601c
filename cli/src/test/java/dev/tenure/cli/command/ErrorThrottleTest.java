// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.TenureEvent;
import dev.tenure.testing.VirtualHost;
import dev.tenure.testing.VirtualTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ErrorThrottleTest {
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final PrintStream err = new PrintStream(said, true, StandardCharsets.UTF_8);
    private final VirtualTime time = new VirtualTime();
    private final ErrorThrottle troubles =
            new ErrorThrottle(new Console(err, err, Map.of(), false), new VirtualHost("n", time, 1));

    private void tell(String doing, String problem) {
        troubles.print(new TenureEvent.StoreError(doing, problem, new IllegalStateException(problem)));
    }

    private List<String> lines() {
        return said.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** Without a store, opening a session and looking who leads fail in turn, each in its own words. */
    @Test
    void problems_that_take_turns_are_told_once_each() {
        for (int i = 0; i < 5; i++) {
            tell("opening a session", "nobody answers");
            tell("looking at x", "the connection broke");
        }

        assertThat(lines())
                .containsExactly(
                        "tenure: store trouble while opening a session: nobody answers",
                        "tenure: store trouble while looking at x: the connection broke");
    }

    @Test
    void a_problem_that_lasts_is_told_again_after_half_a_minute() {
        tell("opening a session", "nobody answers");
        time.advance(Duration.ofSeconds(31));

        tell("opening a session", "nobody answers");

        assertThat(lines()).hasSize(2);
    }

    @Test
    void the_end_of_all_trouble_is_told_once_and_what_comes_later_is_new() {
        tell("opening a session", "nobody answers");
        tell("looking at x", "the connection broke");

        troubles.over();
        troubles.over();
        tell("opening a session", "nobody answers");

        assertThat(lines().subList(2, 4))
                .containsExactly(
                        "tenure: the store answers again",
                        "tenure: store trouble while opening a session: nobody answers");
    }
}
