// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tenure.Campaign;
import dev.tenure.Tenure;
import dev.tenure.observability.TenureHealth;
import dev.tenure.observability.TenureMeters;
import dev.tenure.spring.LeaderOnly;
import dev.tenure.spring.TenureLifecycle;
import dev.tenure.spring.TenureTemplate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

class TenureAutoConfigurationTest {
    @TempDir
    Path folder;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    SslAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    TenureAutoConfiguration.class,
                    TenureActuatorAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:conditions;DB_CLOSE_DELAY=-1");

    private ApplicationContextRunner onFiles() {
        return runner.withPropertyValues("tenure.url=local:" + folder);
    }

    @Test
    void a_url_makes_a_client_with_its_settings() {
        onFiles()
                .withPropertyValues("tenure.node=n1", "tenure.ttl=5s", "tenure.require-grade=a")
                .run(context -> {
                    assertThat(context).hasSingleBean(Tenure.class).hasSingleBean(TenureTemplate.class);
                    assertThat(context.getBean(Tenure.class).node()).isEqualTo("n1");
                    assertThat(context.getBean(TenureProperties.class).ttl()).isEqualTo(Duration.ofSeconds(5));
                });
    }

    @Test
    void datasource_elects_in_the_database_of_the_application() {
        runner.withPropertyValues("tenure.url=datasource")
                .run(context -> assertThat(
                                context.getBean(Tenure.class).traits().store())
                        .isEqualTo("the database of the DataSource"));
    }

    @Configuration
    static class OwnClient {
        @Bean
        Tenure own() {
            return Tenure.connect("local:" + System.getProperty("java.io.tmpdir") + "/tenure-own")
                    .node("own")
                    .open();
        }
    }

    @Test
    void a_client_of_the_application_goes_first() {
        runner.withUserConfiguration(OwnClient.class)
                .run(context -> assertThat(context.getBean(Tenure.class).node()).isEqualTo("own"));
    }

    @Test
    void a_client_that_it_made_is_closed_with_the_context() {
        Tenure[] made = new Tenure[1];
        onFiles().run(context -> made[0] = context.getBean(Tenure.class));

        assertThat(made[0].elections().toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void meters_health_and_endpoint_are_there_where_their_classes_are() {
        onFiles()
                .withPropertyValues("management.endpoints.web.exposure.include=tenure")
                .run(context -> assertThat(context)
                        .hasSingleBean(TenureMeters.class)
                        .hasSingleBean(TenureHealth.class)
                        .hasSingleBean(TenureEndpoint.class)
                        .hasSingleBean(HealthIndicator.class)
                        .hasBean("tenureInfoContributor"));
        onFiles()
                .withClassLoader(new FilteredClassLoader("io.micrometer.core", "org.springframework.boot.health"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(Tenure.class)
                        .doesNotHaveBean("tenureMeters")
                        .doesNotHaveBean("tenureHealthIndicator"));
        onFiles()
                .withClassLoader(new FilteredClassLoader(TenureHealth.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(Tenure.class)
                        .doesNotHaveBean("tenureVerdict"));
        onFiles()
                .withPropertyValues("management.health.tenure.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }

    @ParameterizedTest
    @CsvSource({"billing/sweeper,true", "'',false", "' ',false"})
    void the_group_leader_is_there_if_its_election_is_named(String election, boolean there) {
        onFiles()
                .withInitializer(context -> TestPropertyValues.of(Map.of("tenure.leader-group", election))
                        .applyTo(context))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.containsBean("tenureLeaderHealthIndicator"))
                            .isEqualTo(there);
                    assertThat(context.getEnvironment()
                                    .containsProperty("management.endpoint.health.group.leader.include"))
                            .isEqualTo(there);
                });
    }

    @Test
    void without_spring_jdbc_on_the_class_path_the_rest_works() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(TenureAutoConfiguration.class))
                .withPropertyValues("tenure.url=local:" + folder)
                .withClassLoader(new FilteredClassLoader("org.springframework.jdbc", "org.springframework.transaction"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(TenureLifecycle.class));
    }

    @Configuration
    static class ByHand {
        @Bean
        Campaign sweeper(Tenure tenure) {
            return tenure.elect("billing/sweeper").drainWithin(Duration.ofSeconds(1));
        }
    }

    @Test
    void it_stands_when_the_application_is_ready_and_not_before() {
        onFiles().withUserConfiguration(ByHand.class).run(context -> {
            TenureLifecycle lifecycle = context.getBean(TenureLifecycle.class);
            assertThat(lifecycle.isRunning()).isFalse();

            context.publishEvent(new ApplicationReadyEvent(
                    new SpringApplication(), new String[0], context.getSourceApplicationContext(), null));

            assertThat(lifecycle.isRunning()).isTrue();
            await().until(() -> context.getBean(TenureTemplate.class).isLeading("billing/sweeper"));
        });
    }

    @Test
    void an_application_that_was_stopped_stands_again_when_it_is_started() {
        onFiles().withUserConfiguration(ByHand.class).run(context -> {
            TenureLifecycle lifecycle = context.getBean(TenureLifecycle.class);
            lifecycle.stand();
            await().until(() -> context.getBean(TenureTemplate.class).isLeading("billing/sweeper"));

            lifecycle.stop();
            assertThat(context.getBean(TenureTemplate.class).isLeading("billing/sweeper"))
                    .isFalse();
            lifecycle.start();

            await().until(() -> context.getBean(TenureTemplate.class).isLeading("billing/sweeper"));
        });
    }

    @Configuration
    static class TwoClients {
        @Bean
        Tenure one() {
            return Tenure.connect("local:" + System.getProperty("java.io.tmpdir") + "/tenure-one")
                    .open();
        }

        @Bean
        Tenure two() {
            return Tenure.connect("local:" + System.getProperty("java.io.tmpdir") + "/tenure-two")
                    .open();
        }
    }

    @Configuration
    static class OneOfTwoClients extends TwoClients {
        @Bean
        @Override
        @Primary
        Tenure one() {
            return super.one();
        }
    }

    @Test
    void of_two_clients_one_must_be_primary() {
        runner.withUserConfiguration(TwoClients.class).run(context -> {
            assertThat(context.getStartupFailure())
                    .hasRootCauseInstanceOf(NoUniqueBeanDefinitionException.class)
                    .hasMessageContaining("one,two");
        });
        runner.withUserConfiguration(OneOfTwoClients.class)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(TenureTemplate.class));
    }

    static final class Final {
        @LeaderOnly("e")
        public void run() {}
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                failure("No store is configured.", "Set tenure.url=datasource"),
                failure("cannot be used", "No backend for 'redis:' is on the class path", "tenure.url=redis://h"),
                failure("cannot be used", "must be on or off", "tenure.url=local:FOLDER?standoff=maybe"),
                failure("cannot be used", "outside what", "tenure.url=local:FOLDER", "tenure.ttl=1ms"),
                failure("cannot be used", "Grade A was required", "tenure.url=datasource", "tenure.require-grade=a"),
                failure(
                        "does not apply to a JDBC URL",
                        "TLS is the driver's",
                        "tenure.url=jdbc:h2:mem:x",
                        "tenure.ssl.bundle=b"),
                failure(
                        "SSL bundle 'b' cannot be used",
                        "Look at spring.ssl.bundle and tenure.ssl.bundle (SSL bundle name 'b' cannot be found)",
                        "tenure.url=local:FOLDER",
                        "tenure.ssl.bundle=b"));
    }

    private static Arguments failure(String problem, String remedy, String... settings) {
        return arguments(problem, remedy, List.of(settings));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void what_cannot_work_is_told_with_what_to_do(String problem, String remedy, List<String> settings) {
        runner.withPropertyValues(settings.stream()
                        .map(setting -> setting.replace("FOLDER", folder.toString()))
                        .toArray(String[]::new))
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = new TenureFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis)
                            .as(String.valueOf(context.getStartupFailure()))
                            .isNotNull();
                    assertThat(analysis.getDescription()).contains(problem).endsWith(".");
                    assertThat(analysis.getAction()).contains(remedy).endsWith(".");
                });
    }

    @Test
    void datasource_without_one_is_told_too() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(TenureAutoConfiguration.class))
                .withPropertyValues("tenure.url=datasource")
                .run(context -> assertThat(new TenureFailureAnalyzer()
                                .analyze(context.getStartupFailure())
                                .getAction())
                        .startsWith("Configure spring.datasource.url"));
    }

    @Test
    void a_method_that_cannot_be_gated_is_told_in_the_same_way() {
        onFiles()
                .withUserConfiguration(Final.class)
                .run(
                        context -> assertThat(new TenureFailureAnalyzer()
                                        .analyze(context.getStartupFailure())
                                        .getDescription())
                                .isEqualTo(
                                        "@LeaderOnly on Final.run cannot work: the method is in a final class, which cannot be proxied."));
    }

    @Test
    void editors_know_the_properties() throws Exception {
        String metadata = new String(getClass()
                .getResourceAsStream("/META-INF/spring-configuration-metadata.json")
                .readAllBytes());

        assertThat(metadata)
                .contains("\"tenure.url\"", "\"tenure.ttl\"", "\"tenure.ssl.bundle\"", "\"tenure.leader-group\"");
    }
}
