// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot.test;

import dev.tenure.Tenure;
import dev.tenure.testing.FakeElections;
import java.time.Duration;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Virtual time has one driver at a time, so everything that waits for it happens on the thread that closes the context. */
@Configuration(proxyBeanMethods = false)
class FakeElectionsConfiguration {
    private static final long SEED = 1;

    @Bean
    FakeElections fakeElections(Environment environment) {
        Duration ttl = DurationStyle.detectAndParse(environment.getProperty("tenure.ttl", "10s"));
        return FakeElections.create(SEED, ttl);
    }

    /** Closed with the elections. */
    @Bean(destroyMethod = "")
    Tenure tenure(FakeElections elections, Environment environment) {
        return elections.node(environment.getProperty("tenure.node", "app")).tenure();
    }

    /** The thread that closes the context, a shutdown hook perhaps, drives virtual time from now on. */
    @EventListener
    @Order(Ordered.HIGHEST_PRECEDENCE)
    void driveFromHere(ContextClosedEvent event) {
        event.getApplicationContext().getBean(FakeElections.class).time().settle();
    }
}
