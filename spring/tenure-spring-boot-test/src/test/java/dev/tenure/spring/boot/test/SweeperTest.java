// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.spring.LeaderDuty;
import dev.tenure.spring.TenureTemplate;
import dev.tenure.testing.FakeElections;
import dev.tenure.testing.InMemoryFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** An application in virtual time: it is elected, paused and fenced without sleeping. The tests share a context, and follow each other. */
@SpringBootTest(properties = {"tenure.ttl=6s", "spring.datasource.url=jdbc:h2:mem:sweeper;DB_CLOSE_DELAY=-1"})
@AutoConfigureFakeElections
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SweeperTest {
    @Autowired
    private FakeElections elections;

    @Autowired
    private Sweeper sweeper;

    @Autowired
    private InMemoryFence ledger;

    @Autowired
    private TenureTemplate template;

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Sweeper.class)
    static class SweeperApplication {
        @Bean
        InMemoryFence ledger() {
            return new InMemoryFence("ledger");
        }
    }

    static class Sweeper {
        final List<Leadership> terms = new ArrayList<>();

        @LeaderDuty(election = "sweeper", fencedBy = "ledger")
        void sweep(Leadership leadership) throws InterruptedException {
            terms.add(leadership);
            while (leadership.isActive()) {
                leadership.rest(Duration.ofSeconds(1));
            }
        }
    }

    @Test
    @Order(1)
    void it_is_elected_when_time_passes() {
        assertThat(sweeper.terms).isEmpty();

        elections.advance(Duration.ofSeconds(1));

        assertThat(elections.leaderOf("sweeper")).contains("app");
        assertThat(sweeper.terms).hasSize(1);
        assertThat(template.isLeading("sweeper")).isTrue();
    }

    @Test
    @Order(2)
    void after_a_pause_its_writes_are_refused() throws Exception {
        elections.node("rival").elect("sweeper").fencedBy(ledger).perform(leadership -> {
            while (leadership.isActive()) {
                leadership.rest(Duration.ofSeconds(1));
            }
        });

        elections.pauseNode("app");
        elections.advance(Duration.ofSeconds(30));

        assertThat(elections.leaderOf("sweeper")).contains("rival");
        Leadership stale = sweeper.terms.get(0);
        assertThat(stale.isValid()).isFalse();
        assertThatThrownBy(() -> ledger.write(stale, () -> {})).isInstanceOf(StaleTokenException.class);
        elections.resumeNode("app");
    }

    @Test
    @Order(3)
    void it_leads_again_when_the_rival_has_crashed() {
        elections.crashNode("rival");
        elections.advance(Duration.ofSeconds(30));

        assertThat(elections.leaderOf("sweeper")).contains("app");
        assertThat(sweeper.terms).hasSize(2);
    }
}
