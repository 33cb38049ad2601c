// SPDX-License-Identifier: Apache-2.0
package dev.tenure.testing;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.ActivePassive;
import dev.tenure.Candidacy;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.Standing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The code of docs/testing.md, and the proof that it is this code. */
@Timeout(60)
class TestingGuideTest {
    private static final Logger LOG = Logger.getLogger("dev.tenure");

    @BeforeAll
    static void be_quiet() {
        LOG.setLevel(Level.OFF);
    }

    static final class Ledger {
        final InMemoryFence fence = new InMemoryFence("ledger");
        final List<FencingToken> entries = new ArrayList<>();

        void sweepUntilLost(Leadership leadership) throws Exception {
            while (leadership.isActive()) {
                leadership.rest(ofSeconds(1));
                fence.write(leadership, () -> entries.add(leadership.token()));
            }
        }
    }

    @Test
    void a_paused_leader_is_replaced_and_its_late_write_is_refused() {
        try (FakeElections elections = FakeElections.create()) {
            Ledger ledger = new Ledger();
            elections.node("a").elect("sweeper").fencedBy(ledger.fence).perform(ledger::sweepUntilLost);
            elections.node("b").elect("sweeper").fencedBy(ledger.fence).perform(ledger::sweepUntilLost);
            elections.advance(ofSeconds(5));
            String first = elections.leaderOf("sweeper").orElseThrow();

            elections.pauseNode(first);
            elections.advance(ofSeconds(30));
            elections.resumeNode(first);
            elections.advance(ofSeconds(5));

            assertThat(elections.leaderOf("sweeper")).get().isNotEqualTo(first);
            assertThat(ledger.fence.refused()).hasSize(1); // it woke up and tried
            assertThat(ledger.entries).isSorted().endsWith(elections.highestToken("sweeper"));
        }
    }

    @Test
    void whatever_the_order_of_events_no_entry_is_written_under_an_older_token() {
        for (long seed = 1; seed <= 50; seed++) {
            try (FakeElections elections = FakeElections.create(seed)) {
                Ledger ledger = new Ledger();
                for (String node : List.of("a", "b", "c")) {
                    elections.node(node).elect("sweeper").fencedBy(ledger.fence).perform(ledger::sweepUntilLost);
                }
                elections.advance(ofSeconds(5));

                elections.crashNode(elections.leaderOf("sweeper").orElseThrow());
                elections.advance(ofSeconds(30));
                elections.cutOff(elections.leaderOf("sweeper").orElseThrow());
                elections.advance(ofSeconds(30));

                assertThat(ledger.entries).as("seed %d", seed).isSorted();
                assertThat(elections.leaderOf("sweeper")).as("seed %d", seed).isPresent();
            }
        }
    }

    @Test
    void the_feed_is_off_on_one_node_before_it_is_on_on_the_other() {
        List<String> did = new ArrayList<>();
        try (FakeElections elections = FakeElections.create()) {
            Candidacy a = elections.node("a").elect("feed").run(new Feed("a", did));
            elections.advance(ofSeconds(1));
            elections.node("b").elect("feed").run(new Feed("b", did));
            elections.advance(ofSeconds(1));

            a.resign("deploy");
            elections.advance(ofSeconds(1));

            assertThat(did).containsExactly("a on", "a off", "b on");
            assertThat(a.standing()).isInstanceOf(Standing.Standby.class);
        }
    }

    @Test
    void a_laptop_that_slept_may_not_write_before_it_has_renewed() {
        try (FakeElections elections = FakeElections.create()) {
            List<Boolean> valid = new ArrayList<>();
            FakeNode laptop = elections.node("laptop");
            laptop.elect("backup").perform(leadership -> {
                while (leadership.isActive()) {
                    valid.add(leadership.isValid());
                    leadership.rest(ofSeconds(1));
                }
                valid.add(leadership.isValid());
            });
            elections.advance(ofSeconds(1));

            laptop.host().suspend(); // the monotonic clock stands still, the wall clock goes on
            elections.advance(ofMinutes(60));
            laptop.host().resume();
            elections.time().settle();
            elections.advance(ofSeconds(2));

            assertThat(valid).contains(true).contains(false);
        }
    }

    @Test
    void every_sample_of_the_guide_is_code_of_this_test() throws Exception {
        String test = normalized(Files.readString(Path.of("src/test/java/dev/tenure/testing/TestingGuideTest.java")));
        Matcher sample = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../../docs/testing.md")));
        int samples = 0;
        while (sample.find()) {
            samples++;
            assertThat(test).contains(normalized(sample.group(1)));
        }

        assertThat(samples).isPositive();
    }

    private static String normalized(String code) {
        return code.replaceAll("\\s+", " ").strip();
    }

    private record Feed(String node, List<String> did) implements ActivePassive {
        @Override
        public void activate(Leadership leadership) {
            did.add(node + " on");
        }

        @Override
        public void deactivate(Loss loss) {
            did.add(node + " off");
        }
    }
}
