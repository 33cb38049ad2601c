// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.Candidacy;
import dev.tenure.FencingToken;
import dev.tenure.Leader;
import dev.tenure.Tenure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Candidates get over a state directory that was removed or replaced, without a restart, and tokens grow. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class ReplacedStoreTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path temp;

    private Path state;
    private Tenure one;
    private Tenure two;
    private List<Candidacy> candidacies;

    @BeforeEach
    void stand() throws Exception {
        state = temp.resolve("state");
        one = open("one", state);
        two = open("two", state);
        Candidacy first = stand(one);
        assertThat(first.awaitLeading(SOON)).isTrue();
        candidacies = List.of(first, stand(two));
        // A process counts on from the tokens that it has seen: one that had seen none could lead with a lower one.
        await().atMost(SOON)
                .until(() -> two.leaderOf("e").toCompletableFuture().join().isPresent());
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    private void standAnew() throws Exception {
        close();
        stand();
    }

    /** Whoever uses the directory may put something back meanwhile: then it says so, and goes on. */
    private void removeByHand() throws Exception {
        Process remove = new ProcessBuilder("rm", "-rf", state.toString()).start();
        assertThat(remove.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    private static Tenure open(String node, Path directory) {
        return Tenure.connect("local:" + directory).node(node).ttl(TTL).open();
    }

    private static Candidacy stand(Tenure tenure) {
        return tenure.elect("e").perform(leadership -> {
            while (leadership.isActive()) {
                leadership.rest(TTL);
            }
        });
    }

    private Optional<FencingToken> led() {
        return candidacies.stream()
                .flatMap(candidacy -> candidacy.term().stream())
                .map(term -> term.token())
                .max(FencingToken::compareTo);
    }

    private void assertLedAgainAbove(FencingToken before) {
        await().atMost(SOON)
                .until(() -> led().filter(token -> token.isNewerThan(before)).isPresent());
        await().atMost(SOON)
                .until(() -> candidacies.stream().filter(Candidacy::isLeading).count() == 1);
        await().atMost(SOON)
                .ignoreExceptions() // the directory may not be open again here
                .until(() -> one.leaderOf("e")
                        .toCompletableFuture()
                        .join()
                        .map(Leader::token)
                        .equals(led()));
    }

    @Test
    void it_was_removed() throws Exception {
        FencingToken before = led().orElseThrow();

        removeByHand();

        assertLedAgainAbove(before);
    }

    @Test
    void it_was_removed_after_its_era_was_raised() throws Exception {
        one.raiseEra().toCompletableFuture().join();
        standAnew();
        FencingToken before = led().orElseThrow();
        assertThat(before.era()).isEqualTo(1);

        removeByHand();

        assertLedAgainAbove(before);
    }

    @Test
    void an_empty_one_stands_in_its_place() throws Exception {
        FencingToken before = led().orElseThrow();

        Files.move(state, temp.resolve("aside"));
        Files.createDirectory(state);

        assertLedAgainAbove(before);
    }

    @Test
    void another_store_stands_in_its_place() throws Exception {
        Path other = temp.resolve("other");
        try (Tenure stranger = open("stranger", other)) {
            assertThat(stand(stranger).awaitLeading(SOON)).isTrue();
        }
        FencingToken before = led().orElseThrow();

        Files.move(state, temp.resolve("aside"));
        Files.move(other, state);

        assertLedAgainAbove(before);
    }

    @Test
    void an_older_copy_of_it_stands_in_its_place() throws Exception {
        Path backup = temp.resolve("backup");
        ReplacedDirectoryTest.copy(state, backup);
        for (String note : Fixture.names(backup.resolve("boot"))) {
            Files.delete(backup.resolve("boot").resolve(note));
        }
        standAnew();
        FencingToken before = led().orElseThrow();

        Files.move(state, temp.resolve("aside"));
        Files.move(backup, state);

        assertLedAgainAbove(before);
    }
}
