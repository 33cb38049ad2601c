// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SimTest {
    private static Map<String, Object> sim(String... more) {
        List<String> words = new java.util.ArrayList<>(List.of("sim", "--json"));
        words.addAll(List.of(more));
        InProcess call = InProcess.run(words.toArray(String[]::new));
        Map<String, Object> report = JsonText.object(call.out());
        assertThat(call.code()).isEqualTo(((List<?>) report.get("violations")).isEmpty() ? 0 : 1);
        assertThat(call.err()).isEmpty();
        return report;
    }

    @Test
    void the_same_seeds_give_the_same_hash_however_many_run_at_the_same_time() {
        Map<String, Object> together = sim("--seeds", "120", "--from", "7", "--workers", "2");
        Map<String, Object> alone = sim("--seeds", "120", "--from", "7", "--workers", "1");

        assertThat(together).containsEntry("seeds", "120").containsEntry("from", "7");
        assertThat(together.get("hash")).isEqualTo(alone.get("hash"));
        assertThat(together.get("faults")).isEqualTo(alone.get("faults"));
    }

    @Test
    void one_seed_is_shown_as_a_readable_trace() {
        InProcess trace = InProcess.run("sim", "--seed", "3", "--trace");

        assertThat(trace.out().lines().count()).isGreaterThan(100);
        assertThat(trace.out()).contains("1 seed from 3: ");
        assertThat(InProcess.run("sim", "--seed", "3", "--trace")).isEqualTo(trace);
    }

    @Test
    void a_summary_counts_by_kind_of_fault() {
        InProcess summary = InProcess.run("sim", "--seeds", "5");

        assertThat(summary.out()).contains("5 seeds from 1: ", " CRASH ", " PAUSE_LONG ");
    }

    @Test
    void all_worlds_can_have_one_kind_of_store() {
        InProcess trace = InProcess.run("sim", "--seed", "3", "--store", "zookeeper", "--trace");

        assertThat(trace.code()).isZero();
        assertThat(trace.out()).contains("ZooKeeperRules[tick=");
    }

    @Test
    void all_worlds_can_have_user_code_that_hangs() {
        InProcess trace = InProcess.run("sim", "--seed", "3", "--hanging", "--trace");

        assertThat(trace.code()).isZero();
        assertThat(trace.out()).contains("user code that hangs", " CALLBACK ");
        assertThat(InProcess.run("sim", "--mutants", "--hanging").code()).isEqualTo(64);
    }

    @Test
    void what_contradicts_itself_is_refused() {
        assertThat(InProcess.run("sim", "--trace").code()).isEqualTo(64);
        assertThat(InProcess.run("sim", "--seed", "1", "--seeds", "2").code()).isEqualTo(64);
        assertThat(InProcess.run("sim", "--seeds", "0").code()).isEqualTo(64);
        assertThat(InProcess.run("sim", "--from", "many").code()).isEqualTo(64);
        assertThat(InProcess.run("sim", "--mutants", "--seed", "1").code()).isEqualTo(64);
        assertThat(InProcess.run("sim", "--store", "floppy").code()).isEqualTo(64);
    }
}
