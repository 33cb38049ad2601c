package dev.tenure.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tenure.Fence;
import dev.tenure.Overdue;
import dev.tenure.Tenure;
import dev.tenure.observability.TenureHealth;
import dev.tenure.observability.TenureMeters;
import dev.tenure.spring.LeaderOnly;
import dev.tenure.spring.TenureLifecycle;
import dev.tenure.spring.TenureLifecycle.StandAt;
import dev.tenure.spring.TenureTemplate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class TenureAutoConfigurationTest {
    @TempDir
    Path folder;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
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
                    assertThat(context.getBean(TenureProperties.class).getTtl()).isEqualTo(Duration.ofSeconds(5));
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
                .withPropertyValues("tenure.metrics.enabled=false", "management.health.tenure.enabled=false")
                .run(context ->
                        assertThat(context).doesNotHaveBean(TenureMeters.class).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void without_fence_and_patterns_on_the_class_path_the_rest_works() {
        onFiles()
                .withClassLoader(new FilteredClassLoader("dev.tenure.fence", "dev.tenure.patterns"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(TenureLifecycle.class));
    }

    @Configuration
    static class Fences {
        @Bean
        Fence ledger() {
            return term -> {};
        }
    }

    @Test
    void elections_are_configured_by_name_and_stood_in() {
        onFiles()
                .withUserConfiguration(Fences.class)
                .withPropertyValues(
                        "tenure.stand=refreshed",
                        "tenure.elections[billing/sweeper].drain=1s",
                        "tenure.elections[billing/sweeper].cool-down=1s",
                        "tenure.elections[billing/sweeper].on-overdue=release",
                        "tenure.elections[billing/sweeper].fenced-by=ledger")
                .run(context -> {
                    assertThat(context.getBean(TenureProperties.class)
                                    .getElections()
                                    .get("billing/sweeper"))
                            .isEqualTo(new TenureProperties.Election(
                                    Duration.ofSeconds(1), Duration.ofSeconds(1), Overdue.RELEASE, List.of("ledger")));
                    assertThat(context.getBean(TenureLifecycle.class).isRunning())
                            .isTrue();
                    assertThat(context.getBean(TenureTemplate.class).isLeading("billing/sweeper"))
                            .isIn(true, false);
                });
    }

    @Test
    void it_stands_when_the_application_is_ready_and_not_before() {
        onFiles().withPropertyValues("tenure.elections[e].drain=1s").run(context -> {
            assertThat(context.getBean(StandAt.class)).isEqualTo(StandAt.READY);
            assertThat(context.getBean(TenureLifecycle.class).isRunning()).isFalse();
        });
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
                failure(
                        "does not apply to a JDBC URL",
                        "TLS is the driver's",
                        "tenure.url=jdbc:h2:mem:x",
                        "tenure.ssl.bundle=b"),
                failure(
                        "no SSL bundle 'b'",
                        "spring.ssl.bundle.pem.b",
                        "tenure.url=local:FOLDER",
                        "tenure.ssl.bundle=b"),
                failure(
                        "contains a certificate",
                        "Put it into a file",
                        "tenure.url=local:FOLDER",
                        "tenure.ssl.bundle=b",
                        "spring.ssl.bundle.pem.b.truststore.certificate=-----BEGIN CERTIFICATE-----"),
                failure(
                        "has a password",
                        "Name the files in the URL",
                        "tenure.url=local:FOLDER",
                        "tenure.ssl.bundle=b",
                        "spring.ssl.bundle.jks.b.keystore.location=/tmp/x.p12",
                        "spring.ssl.bundle.jks.b.keystore.password=x"));
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
                .run(context -> assertThat(new TenureFailureAnalyzer()
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .isEqualTo(
                                "@LeaderOnly on Final.run cannot work: the method is in a final class, and such a class cannot be"
                                        + " proxied."));
    }

    @Test
    void a_bundle_of_files_and_a_file_with_a_password_reach_the_store() throws Exception {
        Path authority = Files.writeString(folder.resolve("ca.pem"), "none");

        runner.withPropertyValues(
                        "tenure.url=local:" + folder,
                        "tenure.ssl.bundle=b",
                        "spring.ssl.bundle.pem.b.truststore.certificate=" + authority)
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining("tls.ca"));
        runner.withPropertyValues("tenure.url=local:" + folder, "tenure.password-file=" + authority)
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining("password.file"));
    }

    @Test
    void editors_know_the_properties() throws Exception {
        String metadata = new String(getClass()
                .getResourceAsStream("/META-INF/spring-configuration-metadata.json")
                .readAllBytes());

        assertThat(metadata)
                .contains(
                        "\"tenure.url\"",
                        "\"tenure.ttl\"",
                        "\"tenure.stand\"",
                        "\"tenure.ssl.bundle\"",
                        "\"tenure.leader-group\"");
    }
}
