// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.FencingToken;
import dev.tenure.Tenure;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The Java samples of all pages compile, and those that a reader copies first do what they say. */
public class DocSamplesTest {
    private static final Pattern SAMPLE =
            Pattern.compile("(?:^## ([^\n]*)\n)|(?:^```java\n(.*?)^```)", Pattern.MULTILINE | Pattern.DOTALL);
    /** A sample that belongs into a class, rather than into a method. */
    private static final Pattern MEMBER =
            Pattern.compile("(@Test\\b|@Component\\b|static final class ).*", Pattern.DOTALL);
    /** Built and run as whole projects by ./verify. */
    private static final Set<String> BUILT = Set.of("docs/new-backend.md", "docs/spring.md");

    /** What the samples take for granted. */
    private static final String SURROUNDINGS = """
            import static java.time.Duration.ofSeconds;
            import static org.assertj.core.api.Assertions.assertThat;

            import dev.tenure.*;
            import dev.tenure.cli.DocSamplesTest.*;
            import dev.tenure.consul.ConsulFence;
            import dev.tenure.etcd.EtcdFence;
            import dev.tenure.fence.sql.FencedSql;
            import dev.tenure.jdbc.*;
            import dev.tenure.observability.*;
            import dev.tenure.testing.*;
            import dev.tenure.zookeeper.ZooKeeperFence;
            import io.micrometer.prometheusmetrics.PrometheusConfig;
            import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
            import java.sql.Connection;
            import java.time.Duration;
            import java.util.*;
            import javax.sql.DataSource;
            import org.apache.zookeeper.Op;
            import org.apache.zookeeper.ZooKeeper;
            import org.junit.jupiter.api.Test;

            public class Sample {
                public static Tenure tenure;
                public static DataSource dataSource;
                public static Router router;
                public static Caches caches;
                public static Server server;
                static Fence fence;
                static TenureHealth health;
                static ZooKeeper zooKeeper;
                static Leadership leadership;
                static byte[] bytes;
                static Object curator;
                static List<String> did;

                static void sweepOnce(FencingToken token) {}

                static void sweep(Leadership leadership) {}

                static String sweep() {
                    return "swept";
                }

                static void reindex() {}

                static void closeNextDay(Connection connection) {}

                record Feed(String name, List<String> did) implements ActivePassive {
                    @Override public void activate(Leadership leadership) {}
                    @Override public void deactivate(Loss loss) {}
                }
            %s
            }
            """;

    /** Sends requests to whoever leads. */
    public interface Router {
        void pointTo(String address);

        void drain();
    }

    /** What a service warms up. */
    public interface Caches {
        void load();
    }

    /** What a service switches on and off. */
    public interface Server {
        void start(FencingToken token);

        void stop();
    }

    /** Spring's, as one page uses them. */
    public @interface Component {}

    /** Spring's. */
    public interface DisposableBean {
        void destroy();
    }

    /** Curator's. */
    public static final class LeaderLatch {
        public LeaderLatch(Object curator, String path, String id) {}

        public void start() {}
    }

    private record Sample(String heading, String text) {
        boolean isFile() {
            return text.startsWith("import ");
        }

        boolean isMember() {
            return MEMBER.matcher(text).matches();
        }
    }

    @TempDir
    Path dir;

    @ParameterizedTest
    @MethodSource("pages")
    void every_sample_compiles(String page) throws IOException {
        List<Sample> samples = samples(page);

        assertThat(samples).isNotEmpty();
        String members =
                samples.stream().filter(Sample::isMember).map(Sample::text).collect(joining("\n"));
        for (Sample sample : samples) {
            if (sample.isFile()) {
                assertThat(compile(nameOf(sample), sample.text)).isEmpty();
            } else {
                String body = sample.isMember() ? members : members + method(sample);
                assertThat(compile("Sample", SURROUNDINGS.formatted(complete(body))))
                        .isEmpty();
            }
        }
    }

    /** All pages with samples, so that no new one is forgotten. */
    static List<String> pages() throws IOException {
        Path root = Path.of("..").toAbsolutePath().normalize();
        try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md"),
                            files.map(file -> root.relativize(file).toString()))
                    .filter(page -> page.endsWith(".md") && !page.startsWith("docs/adr/") && !BUILT.contains(page))
                    .filter(page -> Cli.read(root.resolve(page)).contains("\n```java\n"))
                    .sorted()
                    .toList();
        }
    }

    private static String nameOf(Sample sample) {
        Matcher name = Pattern.compile("public class (\\w+)").matcher(sample.text);
        assertThat(name.find()).as(sample.text).isTrue();
        return name.group(1);
    }

    private static String method(Sample sample) {
        return "public static void run() throws Exception {\n" + sample.text + "\n}\n";
    }

    /** Dots stand for what a reader fills in. */
    private static String complete(String text) {
        return text.replace("{ … }", "{ }")
                .replace("(\"billing\")…", "(\"billing\");")
                .replace("…", "null");
    }

    @Test
    void the_watch_of_the_guide_tells_of_a_leader_that_comes_later() throws Exception {
        Sample sample = samples("docs/guide.md").stream()
                .filter(each -> each.heading.equals("Who leads?"))
                .findFirst()
                .orElseThrow();
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Tenure tenure = Tenure.connect("local:" + dir.resolve("store")).open()) {
            run(sample, tenure, new Router() {
                @Override
                public void pointTo(String address) {
                    heard.add(address);
                }

                @Override
                public void drain() {
                    heard.add("drained");
                }
            });
            await().atMost(Duration.ofSeconds(30)).until(() -> heard.contains("drained"));

            var unused = tenure.elect("quotes/feed")
                    .metadata("address", "10.0.0.7:9090")
                    .perform(leadership -> leadership.rest(Duration.ofMinutes(1)));

            await().atMost(Duration.ofSeconds(30)).until(() -> heard.contains("10.0.0.7:9090"));
        }
    }

    private static List<Sample> samples(String page) throws IOException {
        List<Sample> samples = new ArrayList<>();
        String heading = "";
        Matcher found = SAMPLE.matcher(Files.readString(Path.of("..").resolve(page)));
        while (found.find()) {
            if (found.group(1) == null) {
                samples.add(new Sample(heading, found.group(2)));
            } else {
                heading = found.group(1);
            }
        }
        return samples;
    }

    /** What the compiler has to say against it. */
    private String compile(String name, String text) throws IOException {
        Path source = Files.writeString(dir.resolve(name + ".java"), text);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"), "-d", dir.toString());
        boolean done = compiler.getTask(
                        complaints,
                        null,
                        null,
                        options,
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjects(source))
                .call();
        return done ? "" : complaints.toString();
    }

    private void run(Sample sample, Tenure tenure, Router router) throws Exception {
        assertThat(compile("Sample", SURROUNDINGS.formatted(complete(method(sample)))))
                .isEmpty();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {dir.toUri().toURL()}, getClass().getClassLoader())) {
            Class<?> compiled = loader.loadClass("Sample");
            compiled.getField("tenure").set(null, tenure);
            compiled.getField("router").set(null, router);
            compiled.getMethod("run").invoke(null);
        }
    }
}
