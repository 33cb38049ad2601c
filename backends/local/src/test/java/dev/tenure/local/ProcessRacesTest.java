// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static dev.tenure.local.Fixture.read;
import static dev.tenure.local.Fixture.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same races between real processes, which are stopped and killed in the middle of them. */
@Tag("slow")
class ProcessRacesTest {
    private static final String KEY = "c/counter";

    @TempDir
    private Path directory;

    private final SystemHost host = SystemHost.start("test");
    private final Chain chain = new Chain();
    private final List<Child> children = new ArrayList<>();
    private LocalStore store;

    @BeforeEach
    void open() {
        store = LocalStore.open(directory, host);
    }

    @AfterEach
    void close() {
        children.forEach(child -> child.process.destroyForcibly());
        store.close();
        host.shutdown();
    }

    @Test
    void no_increment_of_any_process_is_lost() throws Exception {
        int each = 1500;
        for (int i = 0; i < 3; i++) {
            start(each);
        }

        for (Child child : children) {
            assertThat(child.process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            child.output.get(10, TimeUnit.SECONDS);
        }

        Versioned end = read(store, KEY);
        assertThat(end.value()).isEqualTo("" + 3 * each);
        chain.endsAt(end.version().orElseThrow());
    }

    @Test
    void a_stopped_process_holds_nobody_up_and_spoils_nothing_when_it_goes_on() throws Exception {
        Child child = start(Integer.MAX_VALUE);
        child.ready();
        Random random = new Random(3);

        for (int round = 0; round < 40; round++) {
            increment(20 + random.nextInt(100));
            child.signal("STOP");
            increment(50);
            child.signal("CONT");
        }

        child.kill();
        assertThat(child.steps).isGreaterThan(40);
        endsWithAtMost(1);
    }

    @Test
    void a_killed_process_leaves_the_old_record_or_the_new_one() throws Exception {
        Random random = new Random(4);
        int rounds = 12;

        for (int round = 0; round < rounds; round++) {
            Child child = start(Integer.MAX_VALUE);
            child.ready();
            increment(1 + random.nextInt(40));
            child.kill();
            increment(1);
        }

        endsWithAtMost(rounds);
        assertThat(Fixture.names(new StatePaths(directory).values())).hasSizeLessThanOrEqualTo(1 + 2 * rounds);
    }

    /** A process may die after its write and before it has printed so; each death may hide one step. */
    private void endsWithAtMost(int hidden) {
        int value = Integer.parseInt(read(store, KEY).value());
        assertThat(value).isBetween(chain.steps(), chain.steps() + hidden);
    }

    private void increment(int times) {
        long byNanos = host.nanos() + TimeUnit.SECONDS.toNanos(20);
        for (int done = 0; done < times; ) {
            assertThat(host.nanos()).as("held up by another process").isLessThan(byNanos);
            Versioned counter = read(store, KEY);
            int next = counter.isPresent() ? Integer.parseInt(counter.value()) + 1 : 1;
            if (write(store, counter, "" + next) instanceof WriteReply.Applied applied) {
                chain.step(
                        counter.version().orElse(Chain.ABSENT),
                        applied.now().version().orElseThrow());
                done++;
            }
        }
    }

    private Child start(int count) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CasLoop.class.getName(),
                        directory.toString(),
                        KEY,
                        Integer.toString(count))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Child child = new Child(process);
        children.add(child);
        return child;
    }

    private final class Child {
        final Process process;
        final CompletableFuture<Void> ready = new CompletableFuture<>();
        final CompletableFuture<Void> output;
        volatile int steps;

        Child(Process process) {
            this.process = process;
            this.output = CompletableFuture.runAsync(this::follow, task -> new Thread(task, "child-output").start());
        }

        void ready() throws Exception {
            ready.get(20, TimeUnit.SECONDS);
        }

        void signal(String name) throws IOException, InterruptedException {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
            assertThat(kill.waitFor()).isZero();
        }

        /** Not by the process itself, which would close the stream and lose what was printed and not read yet. */
        void kill() throws Exception {
            process.toHandle().destroyForcibly();
            process.waitFor();
            output.get(10, TimeUnit.SECONDS);
        }

        private void follow() {
            try (BufferedReader lines = process.inputReader()) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    String[] words = line.split(" ");
                    if (words[0].equals("ready")) {
                        ready.complete(null);
                    } else if (words.length == 4) {
                        chain.step(words[1], words[2]);
                        steps++;
                    }
                }
            } catch (IOException end) {
                ready.completeExceptionally(end);
            }
        }
    }
}
