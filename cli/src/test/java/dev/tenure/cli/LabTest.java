// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LabTest {
    @TempDir
    Path folder;

    private static InProcess lab(String... words) {
        String[] all = new String[words.length + 1];
        all[0] = "lab";
        System.arraycopy(words, 0, all, 1, words.length);
        return InProcess.run(all);
    }

    @Test
    void a_run_shows_events_leaders_and_counts_and_is_the_same_again() {
        String[] words = {
            "run", "bully", "--nodes", "7", "--crash", "7@100ms", "--partition", "1,2|3-7@1s..3s", "--seed", "4"
        };

        InProcess run = lab(words);

        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains("node 7   crashes", "node 6   LEADS", "leaders         [2, 6, 7]", "two at once     ");
        assertThat(lab(words)).isEqualTo(run);
    }

    @Test
    void a_run_for_programs_has_all_that_a_diagram_needs() {
        InProcess run = lab("run", "raft", "--nodes", "3", "--pause", "leader@1055ms..3s", "--json");

        Map<String, Object> trace = JsonText.object(run.out());
        assertThat(trace)
                .containsKeys(
                        "nodes",
                        "ring",
                        "endMs",
                        "faults",
                        "summary",
                        "marks",
                        "messages",
                        "beliefs",
                        "overlaps",
                        "writes");
        assertThat(first(trace, "messages"))
                .containsKeys("from", "to", "kind", "text", "signOfLife", "sentMs", "arrivedMs", "lost");
        assertThat(first(trace, "beliefs")).containsKeys("node", "role", "leader", "term", "fromMs", "toMs");
        assertThat(run.out()).contains("\"stale\":true");
    }

    @Test
    void a_run_can_be_drawn_as_a_page_of_its_own() throws IOException {
        Path page = folder.resolve("run.html");

        InProcess run = lab("run", "bully", "--html", page.toString());

        assertThat(run.code()).isZero();
        assertThat(run.err()).contains("drawn in " + page);
        assertThat(page).content().contains("\"algorithm\":\"bully\"", "<canvas id=\"diagram\"");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> first(Map<String, Object> trace, String key) {
        return ((List<Map<String, Object>>) trace.get(key)).get(0);
    }

    @Test
    void scenarios_come_from_the_library_or_from_a_file() throws IOException {
        Path file = folder.resolve("mine.yaml");
        Files.writeString(file, lab("scenarios", "leader-crash").out());

        assertThat(lab("scenarios").out()).contains("leader-crash", "paused-leader", "flapping-link");
        assertThat(lab("run", "raft", "--scenario", file.toString()).out())
                .isEqualTo(lab("run", "raft", "--scenario", "leader-crash").out())
                .contains("crashes");
        assertThat(lab("run", "raft", "--scenario", "no-such").code()).isEqualTo(64);
    }

    @Test
    void a_check_counts_violations_and_a_search_prints_a_scenario() throws IOException {
        InProcess check = lab("check", "quorum", "--seeds", "20");
        InProcess found = lab("search", "ring", "two-leaders");
        Path file = folder.resolve("found.yaml");
        Files.writeString(file, found.out());

        assertThat(check.code()).isZero();
        assertThat(check.out()).contains("quorum: 20 seeds from 1: 0 violations");
        assertThat(lab("check", "quorum", "--seeds", "1").out()).contains("quorum: 1 seed from 1: 0 violations");
        assertThat(found.code()).isZero();
        assertThat(lab("run", "ring", "--scenario", file.toString()).out()).doesNotContain("two at once     never");
        assertThat(lab("search", "quorum", "two-leaders", "--seeds", "20").code())
                .isEqualTo(1);
    }

    @Test
    void a_comparison_is_a_table_or_values_and_a_chart() {
        Path chart = folder.resolve("chart.svg");

        InProcess table = lab("compare", "--nodes", "3..5", "--runs", "3");
        InProcess values = lab("compare", "--nodes", "3..5", "--runs", "3", "--csv", "--svg", chart.toString());

        assertThat(table.out()).contains("bully, worst case", "n(n-1)").doesNotContain("NO ");
        assertThat(values.out()).startsWith("contest,nodes,runs,").contains("\"ring, one caller\",5,3,10.0,10,10,");
        assertThat(Cli.read(chart)).startsWith("<svg ");
    }

    @Test
    void an_explanation_has_what_an_algorithm_cannot_promise_and_a_run() {
        assertThat(lab("explain", "hirschberg-sinclair").out()).contains("It cannot promise", "Probe[", "all agreed");
    }

    @Test
    void what_is_wrong_is_refused_with_a_sentence() {
        assertThat(lab().err()).contains("a word is missing: one of run, serve");
        assertThat(lab("rum").err()).contains("did you mean run?");
        assertThat(lab("run").err()).contains("ALGORITHM is missing: tenure lab run ALGORITHM");
        assertThat(lab("run", "bulli").err()).contains("did you mean bully?");
        assertThat(lab("run", "bully", "--crash", "9@1s").err()).contains("there is no node 9 among 5");
        assertThat(lab("run", "bully", "--crash", "").err()).contains("'crash' is not a fault");
        assertThat(lab("run", "bully", "--partition", "1,2|2-5@1s..2s").err()).contains("node 2 stands on two sides");
        assertThat(lab("search", "bully", "stale-write").err()).contains("bully has no terms", "two-leaders");
        assertThat(lab("run", "bully", "--nodes", "0").code()).isEqualTo(64);
        assertThat(lab("run", "bully", "--lease", "1s").err()).contains("only raft has a lease");
        assertThat(lab("run", "bully", "--for", "11m").code()).isEqualTo(64);
        assertThat(lab("run", "bully", "--runs", "3").err()).contains("--runs does not go with tenure lab run");
        assertThat(lab("compare", "--nodes", "7").err()).contains("not from..to");
        assertThat(lab("search", "bully", "gold").code()).isEqualTo(64);
        assertThat(lab("check", "raft", "--seeds", "0").code()).isEqualTo(64);
    }

    @Test
    void several_faults_of_a_kind_have_several_nodes_each_and_one_that_never_happens_is_said() {
        InProcess run = lab("run", "bully", "--crash", "1,2@1s,leader@2s,3@6s");

        assertThat(run.out())
                .contains("1000.0 ms  node 1   crashes", "1000.0 ms  node 2   crashes", "2000.0 ms  node 5   crashes")
                .contains("writes          ", "without a term: nobody can tell a stale one");
        assertThat(run.err()).contains("crash 3@6s never happens: the run lasts 5s");
    }

    @Test
    void a_time_with_two_leaders_counts_once_however_many_there_are_of_whatever_role() {
        String run = lab("run", "sticky", "--partition", "1,2|3-5@1s..3s").out();

        assertThat(run).containsPattern("two at once     12 times, 1[67]\\d\\d\\.\\d ms in all");
        assertThat(run).contains("all agreed      at 0.0 ms");
    }

    @Test
    void a_file_that_cannot_be_written_or_read_is_named_and_not_taken_for_a_bug() throws IOException {
        Path nowhere = folder.resolve("missing").resolve("file");
        Path noise = Files.write(folder.resolve("noise"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});

        assertThat(lab("run", "raft", "--html", nowhere.toString()))
                .returns(64, InProcess::code)
                .returns("tenure: cannot write " + nowhere + ": there is no such file or folder\n", InProcess::err);
        assertThat(lab("compare", "--nodes", "3..3", "--runs", "1", "--svg", folder.toString()))
                .returns(64, InProcess::code)
                .returns("tenure: cannot write " + folder + ": Is a directory\n", InProcess::err);
        assertThat(lab("run", "raft", "--scenario", noise.toString()))
                .returns(64, InProcess::code)
                .returns("tenure: cannot read " + noise + ": it is not text\n", InProcess::err);
    }

    @Test
    void a_port_that_is_taken_is_said() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InProcess serve = lab("serve", "--port", Integer.toString(taken.getLocalPort()));

            assertThat(serve.code()).isEqualTo(64);
            assertThat(serve.err()).startsWith("tenure: port " + taken.getLocalPort() + " cannot be had: ");
        }
    }
}
