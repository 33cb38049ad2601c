package example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spring.boot.test.AutoConfigureFakeElections;
import dev.tenure.testing.FakeElections;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** In virtual time: no server, no sleeping. */
@SpringBootTest(
        properties = {
            "spring.datasource.url=jdbc:h2:mem:billing;DB_CLOSE_DELAY=-1",
            "spring.datasource.username=sa",
            "sweep.millis=3600000"
        })
@AutoConfigureFakeElections
class SweeperTest {
    @Autowired
    private FakeElections elections;

    @Autowired
    private Sweeper sweeper;

    @Autowired
    private Ledger ledger;

    @Test
    void it_sweeps_only_while_it_leads() {
        long before = ledger.runs();
        sweeper.sweep();
        assertThat(ledger.runs()).isEqualTo(before);

        elections.advance(Duration.ofSeconds(1));
        assertThat(elections.leaderOf("billing/sweeper")).contains("app");
        sweeper.sweep();
        long led = ledger.runs();
        assertThat(led).isGreaterThan(before);

        elections.cutOff("app");
        elections.advance(Duration.ofSeconds(30));
        sweeper.sweep();
        assertThat(ledger.runs()).isEqualTo(led);
    }
}
