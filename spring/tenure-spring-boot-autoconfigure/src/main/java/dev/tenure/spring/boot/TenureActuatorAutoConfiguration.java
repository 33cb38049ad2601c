package dev.tenure.spring.boot;

import dev.tenure.Tenure;
import dev.tenure.observability.TenureHealth;
import dev.tenure.observability.TenureMeters;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Meters, health, information and an endpoint, each where its classes are there. None of them belongs into a liveness probe: restarting a process
 * does not help a store.
 */
@AutoConfiguration(after = TenureAutoConfiguration.class)
@ConditionalOnClass(TenureHealth.class)
public class TenureActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {
        /** Spring Boot binds it to every registry. */
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnProperty(name = "tenure.metrics.enabled", matchIfMissing = true)
        TenureMeters tenureMeters(Tenure tenure) {
            return TenureMeters.of(tenure);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class Contributors {
        @Bean
        @ConditionalOnMissingBean
        TenureHealth tenureVerdict(Tenure tenure) {
            return TenureHealth.of(tenure);
        }

        /** A standby is healthy; a client whose store is silent for a TTL is not. */
        @Bean
        @ConditionalOnEnabledHealthIndicator("tenure")
        HealthIndicator tenureHealthIndicator(TenureHealth health) {
            return () -> {
                TenureHealth.Verdict verdict = health.check();
                Health.Builder builder = verdict.healthy() ? Health.up() : Health.down();
                if (!verdict.healthy()) {
                    builder.withDetail("reason", verdict.reason());
                }
                return builder.withDetails(verdict.details()).build();
            };
        }

        /** Not a status that the health of the whole application counts, so a standby stays UP as a whole. */
        @Bean
        @ConditionalOnProperty("tenure.leader-group")
        HealthIndicator tenureLeaderHealthIndicator(TenureHealth health, TenureProperties properties) {
            String election = String.valueOf(properties.getLeaderGroup());
            return () -> {
                boolean leads = health.check().leads(election);
                return (leads ? Health.up() : Health.status(LeaderGroup.STANDBY))
                        .withDetail("election", election)
                        .build();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({InfoContributor.class, ConditionalOnAvailableEndpoint.class})
    static class Endpoints {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        TenureEndpoint tenureEndpoint(Tenure tenure, ObjectProvider<TenureHealth> health) {
            return new TenureEndpoint(tenure, health.getIfAvailable(() -> TenureHealth.of(tenure)));
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
