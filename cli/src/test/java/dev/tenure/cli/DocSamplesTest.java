package dev.tenure.cli;

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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Java samples of the first pages that are read: they compile, and those that a reader copies do what they say. */
public class DocSamplesTest {
    private static final Pattern SAMPLE =
            Pattern.compile("(?:^## ([^\n]*)\n)|(?:^```java\n(.*?)^```)", Pattern.MULTILINE | Pattern.DOTALL);

    /** What the samples take for granted. */
    private static final String SURROUNDINGS = """
            import dev.tenure.*;
            import dev.tenure.cli.DocSamplesTest.*;
            import dev.tenure.fence.sql.FencedSql;
            import java.time.Duration;
            import java.util.*;
            import javax.sql.DataSource;

            public class Sample {
                public static Tenure tenure;
                public static DataSource dataSource;
                public static Router router;
                public static Caches caches;
                public static Server server;

                static void sweepOnce(FencingToken token) {}

                static String sweep() {
                    return "swept";
                }

                static void reindex() {}

                public static void run() throws Exception {
            %s
                }
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

    private record Sample(String heading, String text) {}

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/guide.md"})
    void every_sample_compiles(String page) throws IOException {
        List<Sample> samples = samples(page);

        assertThat(samples).isNotEmpty();
        for (Sample sample : samples) {
            assertThat(compile(sample)).as(sample.text).isEmpty();
        }
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
                    .card("address", "10.0.0.7:9090")
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
    private String compile(Sample sample) throws IOException {
        String text = sample.text.replace("{ … }", "{ }").replace("…", "null");
        Path source = Files.writeString(dir.resolve("Sample.java"), SURROUNDINGS.formatted(text));
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
        assertThat(compile(sample)).isEmpty();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {dir.toUri().toURL()}, getClass().getClassLoader())) {
            Class<?> compiled = loader.loadClass("Sample");
            compiled.getField("tenure").set(null, tenure);
            compiled.getField("router").set(null, router);
            compiled.getMethod("run").invoke(null);
        }
    }
}
