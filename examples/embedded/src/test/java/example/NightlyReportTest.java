package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.tenure.testing.FakeElections;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NightlyReportTest {
    @Test
    void when_the_leader_crashes_the_other_one_goes_on() {
        try (FakeElections elections = FakeElections.create()) {
            elections.node("a").elect("reports/nightly").repeat().perform(NightlyReport::work);
            elections.node("b").elect("reports/nightly").repeat().perform(NightlyReport::work);
            elections.advance(Duration.ofMillis(300));
            String first = elections.leaderOf("reports/nightly").orElseThrow();

            elections.crashNode(first);
            elections.advance(Duration.ofSeconds(30));

            assertNotEquals(first, elections.leaderOf("reports/nightly").orElseThrow());
        }
    }

    @Test
    void a_report_that_is_written_is_done() {
        try (FakeElections elections = FakeElections.create()) {
            elections.node("a").elect("reports/nightly").perform(NightlyReport::work);

            elections.advance(Duration.ofMillis(300));
            assertEquals(Optional.of("a"), elections.leaderOf("reports/nightly"));
            elections.advance(Duration.ofSeconds(5));

            assertEquals(Optional.empty(), elections.leaderOf("reports/nightly"));
        }
    }
}
