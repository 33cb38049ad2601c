// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import dev.tenure.Tenure;
import dev.tenure.observability.TenureHealth;
import dev.tenure.observability.TenureMeters;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.PropertySource;

/**
 * Meters, health, information and an endpoint, each where its classes are there. None of them belongs into a liveness probe: restarting a process
 * does not help a store.
 */
@AutoConfiguration(after = TenureAutoConfiguration.class)
@ConditionalOnClass(TenureHealth.class)
public class TenureActuatorAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    TenureHealth tenureVerdict(Tenure tenure) {
        return TenureHealth.of(tenure);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {
        /** Spring Boot binds it to every registry. */
        @Bean
        @ConditionalOnMissingBean
        TenureMeters tenureMeters(Tenure tenure) {
            return TenureMeters.of(tenure);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class Contributors {
        /** A standby is healthy; a client whose store is silent for a TTL is not. */
        @Bean
        @ConditionalOnEnabledHealthIndicator("tenure")
        HealthIndicator tenureHealthIndicator(TenureHealth health) {
            return () -> {
                TenureHealth.Verdict verdict = health.check();
                Health.Builder builder =
                        verdict.healthy() ? Health.up() : Health.down().withDetail("reason", verdict.reason());
                return builder.withDetails(verdict.details()).build();
            };
        }
    }

    /**
     * With {@code tenure.leader-group}, {@code /actuator/health/leader} answers 200 on the leader and 503 elsewhere. The file has defaults for
     * Spring Boot's own properties of health groups, which the application may override. The status of a standby is one of our own: unknown to
     * the health of the whole application, it is not counted there.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    @ConditionalOnExpression("!environment.getProperty('tenure.leader-group', '').isBlank()")
    @PropertySource("classpath:META-INF/tenure-leader-group.properties")
    static class LeaderGroup {
        @Bean
        HealthIndicator tenureLeaderHealthIndicator(
                TenureHealth health, @Value("${tenure.leader-group}") String election) {
            return () -> (health.check().leads(election) ? Health.up() : Health.status("STANDBY"))
                    .withDetail("election", election)
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({InfoContributor.class, ConditionalOnAvailableEndpoint.class})
    static class Endpoints {
        @Bean
        @ConditionalOnAvailableEndpoint
        TenureEndpoint tenureEndpoint(Tenure tenure, TenureHealth health) {
            return new TenureEndpoint(tenure, health);
        }

        @Bean
        @ConditionalOnEnabledInfoContributor("tenure")
        InfoContributor tenureInfoContributor(Tenure tenure) {
            return builder -> builder.withDetail(
                    "tenure",
                    Map.of(
                            "node", tenure.node(),
                            "store", tenure.traits().store(),
                            "grade", tenure.traits().grade().name(),
                            "scope", tenure.traits().scope().name()));
        }
    }
}
