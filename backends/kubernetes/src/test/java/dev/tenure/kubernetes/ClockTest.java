// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Leadership;
import dev.tenure.Tenure;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pod whose wall clock is wrong. */
@Tag("server")
@Execution(ExecutionMode.CONCURRENT)
class ClockTest {
    private static final Duration TTL = Duration.ofSeconds(6);
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @ParameterizedTest
    @ValueSource(ints = {-60, 60})
    void a_clock_that_is_an_hour_off_changes_what_is_shown_and_nothing_else(int minutes) {
        String namespace = "clock-" + (minutes < 0 ? "behind" : "ahead");
        String url = SharedApiServer.url(namespace, "");
        List<Leadership> wrong = new CopyOnWriteArrayList<>();
        List<Leadership> right = new CopyOnWriteArrayList<>();

        try (Tenure holder = open(url, Duration.ofMinutes(minutes));
                Tenure rival = open(url, Duration.ZERO)) {
            stand(holder, wrong);
            await().atMost(PATIENCE).until(() -> wrong.size() == 1);
            stand(rival, right);
            await().pollDelay(TTL.multipliedBy(2)).atMost(PATIENCE).until(() -> true);
            String lease = SharedApiServer.get()
                    .send("GET", InteropTest.leases(namespace) + "/sweeper", Optional.empty())
                    .body();
            String renewed = lease.replaceAll("(?s).*\"renewTime\": ?\"([^\"]*)\".*", "$1");

            assertThat(Duration.between(Instant.now(), Instant.parse(renewed)).toMinutes())
                    .isBetween(minutes - 2L, minutes + 2L);
            assertThat(right).as("the rival waits").isEmpty();
            assertThat(wrong).hasSize(1);
            assertThat(wrong.get(0).isValid()).isTrue();
        }
    }

    private static Tenure open(String url, Duration off) {
        return Tenure.using(host -> new KubernetesProvider().connect(BackendUrl.parse(url), shifted(host, off)))
                .ttl(TTL)
                .open();
    }

    private static Host shifted(Host host, Duration off) {
        return (Host) Proxy.newProxyInstance(
                ClockTest.class.getClassLoader(), new Class<?>[] {Host.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("wallMillis")) {
                        return host.wallMillis() + off.toMillis();
                    }
                    try {
                        return method.invoke(host, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private static void stand(Tenure tenure, List<Leadership> terms) {
        tenure.elect("sweeper").perform(leadership -> {
            terms.add(leadership);
            while (leadership.isActive()) {
                leadership.rest(Duration.ofSeconds(1));
            }
        });
    }
}
