package dev.tenure.spring.boot;

import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * With {@code tenure.leader-group}, {@code /actuator/health/leader} answers 200 on the leader and 503 elsewhere. These are defaults for Spring Boot's
 * own properties of health groups, which the application may override. The status of a standby is one of our own: unknown to the health of the
 * whole application, it is not counted there.
 */
final class LeaderGroup implements EnvironmentPostProcessor {
    static final String STANDBY = "STANDBY";

    private static final String GROUP = "management.endpoint.health.group.leader.";

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (environment.containsProperty("tenure.leader-group")) {
            environment
                    .getPropertySources()
                    .addLast(new MapPropertySource(
                            "tenure leader group",
                            Map.of(
                                    GROUP + "include",
                                    "tenureLeader",
                                    GROUP + "status.order",
                                    STANDBY + ",UP",
                                    GROUP + "status.http-mapping." + STANDBY,
                                    503)));
        }
    }
}
