// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.peers.CandidateProcess.Told;
import dev.tenure.peers.group.PeersSettings.TimingProfile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three members in processes of their own, which are killed and stopped. */
@Tag("slow")
class ProcessesTest {
    @TempDir
    private Path logs;

    private final Trio trio = new Trio("");
    private final Map<String, CandidateProcess> processes = new LinkedHashMap<>();

    @BeforeEach
    void start() {
        Trio.NAMES.forEach(name -> processes.put(name, new CandidateProcess(trio.url(name), name, logs.resolve(name))));
        await().until(() -> processes.values().stream().allMatch(CandidateProcess::stands));
    }

    @AfterEach
    void close() {
        processes.values().forEach(CandidateProcess::close);
        trio.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5));
    }

    private Optional<CandidateProcess> leader() {
        return processes.values().stream()
                .filter(process -> process.leading().isPresent())
                .findFirst();
    }

    private CandidateProcess awaitLeader() {
        return await().until(this::leader, Optional::isPresent).orElseThrow();
    }

    private Told awaitTermAfter(Told before) {
        return await().until(
                        this::latest,
                        last -> last.filter(term -> term.token() > before.token())
                                .isPresent())
                .orElseThrow();
    }

    private Optional<Told> latest() {
        return processes.values().stream()
                .flatMap(process -> process.last("BEGIN").stream())
                .max(java.util.Comparator.comparingLong(Told::token));
    }

    @Test
    void a_leader_that_is_killed_is_replaced_and_of_two_that_are_left_one_is_not_enough() {
        CandidateProcess first = awaitLeader();
        Told term = first.last("BEGIN").orElseThrow();

        first.kill();
        Told second = awaitTermAfter(term);
        CandidateProcess next = processes.values().stream()
                .filter(process -> process.last("BEGIN").equals(Optional.of(second)))
                .findFirst()
                .orElseThrow();
        processes.values().stream()
                .filter(process -> process != first && process != next)
                .forEach(CandidateProcess::kill);

        await().until(() -> next.endOf(second.token()).isPresent());
        long farNanos =
                System.nanoTime() + 2 * TimingProfile.DEFAULT.electionMax().toNanos();
        await().until(() -> {
            assertThat(next.leading()).as("one of three does not lead").isEmpty();
            return System.nanoTime() > farNanos;
        });
    }

    @Test
    void a_leader_that_is_stopped_has_no_authority_when_its_successor_begins_nor_when_it_wakes() {
        CandidateProcess first = awaitLeader();
        Told term = first.last("BEGIN").orElseThrow();

        first.stop();
        Told second = awaitTermAfter(term);
        first.goOn();
        await().until(() -> first.endOf(term.token()).isPresent());

        assertThat(first.endOf(term.token()).orElseThrow().nanos())
                .as("the last moment of the first one's authority, and the first moment of the second's")
                .isLessThan(second.nanos());
    }
}
