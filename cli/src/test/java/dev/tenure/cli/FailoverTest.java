// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Supervisors that are killed, stopped and continued. The commands write one line into a common file again and again, each
 * line appended by one write: when one command's lines begin, the other's must have ended.
 */
@Tag("slow")
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
class FailoverTest {
    private static final Duration TTL = Duration.ofSeconds(2);

    /** What a process may be late by on a busy machine. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    /** Will not stop for SIGTERM, and has a daemon that left its session. */
    private static final String WRITER = "trap '' TERM; name=$0; echo \"$name token $TENURE_TOKEN\" >> log; "
            + "echo $$ > $name.pid; (setsid sh -c 'echo $$ > '$name'.daemon; while :; do echo '$name' daemon >> log; "
            + "sleep 0.01; done' &); while :; do echo \"$name writes\" >> log; sleep 0.01; done";

    @TempDir
    Path dir;

    private Cli cli;
    private Path log;

    @BeforeEach
    void open() {
        cli = new Cli(dir);
        log = dir.resolve("log");
    }

    @AfterEach
    void leave_nothing_behind() {
        cli.close();
    }

    private Cli.Call candidate(String name, String... more) {
        return candidateOn(cli.url(), name, more);
    }

    private Cli.Call candidateOn(String url, String name, String... more) {
        List<String> line = new java.util.ArrayList<>(
                Cli.commandLine("run", "--election", "hello", "--url", url, "--ttl", "2s", "--id", name));
        line.addAll(List.of(more));
        line.addAll(List.of("--", "sh", "-c", WRITER, name));
        return cli.start(line);
    }

    private void awaitWriting(String name) {
        await(name + " writes")
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> writes(name) >= 3 && lines().contains(name + " daemon"));
    }

    private List<String> lines() {
        return Cli.lines(log);
    }

    private long writes(String name) {
        return lines().stream().filter((name + " writes")::equals).count();
    }

    private long pid(String file) {
        return Long.parseLong(Cli.read(dir.resolve(file)).strip());
    }

    private long token(String name) {
        return lines().stream()
                .filter(line -> line.startsWith(name + " token "))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 7)))
                .max()
                .orElseThrow();
    }

    /** Nothing of the first was written after the second had begun. */
    private void assertNeverTogether(String first, String second) {
        List<String> lines = lines();
        int begins = lines.indexOf(second + " token " + token(second));
        assertThat(begins).isPositive();
        assertThat(lines.subList(begins, lines.size())).noneMatch(line -> line.startsWith(first + " "));
    }

    private Map<String, Object> leader() {
        Map<String, Object> status = JsonText.object(
                cli.run("status", "hello", "--url", cli.url(), "--json").out());
        return JsonText.map(JsonText.list(status.get("elections")).get(0).get("leader"));
    }

    @Test
    void two_at_the_same_time_run_one_after_the_other_and_status_and_watch_tell_the_truth() {
        String script = "echo $0 begins $TENURE_TOKEN >> log; sleep 1; echo $0 ends >> log";
        String[] words = {"run", "--election", "hello", "--url", cli.url(), "--ttl", "2s", "--id"};
        Cli.Call watch = cli.start("watch", "hello", "--url", cli.url(), "--json");
        watch.awaitOut("\"vacant\"");

        Cli.Call one = cli.start(with(words, "one", "--", "sh", "-c", script, "one"));
        Cli.Call two = cli.start(with(words, "two", "--", "sh", "-c", script, "two"));
        await().atMost(Duration.ofSeconds(30)).until(() -> !lines().isEmpty());
        String first = lines().get(0).split(" ")[0];
        Map<String, Object> meanwhile = leader();
        one.mustExit(0);
        two.mustExit(0);

        String second = first.equals("one") ? "two" : "one";
        List<String> log = lines();
        long firstToken = Long.parseLong(log.get(0).split(" ")[2]);
        long secondToken = Long.parseLong(log.get(2).split(" ")[2]);
        assertThat(log)
                .containsExactly(
                        first + " begins " + firstToken,
                        first + " ends",
                        second + " begins " + secondToken,
                        second + " ends");
        assertThat(secondToken).isGreaterThan(firstToken);
        assertThat(meanwhile.get("node")).isIn(first, second);
        watch.awaitOut(Long.toString(secondToken));
        // Between the two it may be vacant for too short a time to be seen.
        await().atMost(Duration.ofSeconds(20)).until(() -> lastOf(watch).contains("\"vacant\""));
        watch.signal("TERM");
        watch.mustExit(143);
        List<Map<String, Object>> seen =
                watch.out().lines().map(JsonText::object).toList();
        assertThat(seen).extracting(line -> line.get("election")).containsOnly("hello");
        assertThat(seen.get(0)).containsEntry("state", "vacant").containsEntry("leader", null);
        assertThat(seen.stream()
                        .filter(line -> line.get("state").equals("led"))
                        .map(line -> JsonText.map(line.get("leader")).get("token")))
                .containsExactly(Long.toString(firstToken), Long.toString(secondToken));
        assertThat(seen.get(seen.size() - 1)).containsEntry("state", "vacant");
        assertThat(cli.left()).isEmpty();
    }

    private static String lastOf(Cli.Call watch) {
        List<String> told = watch.out().lines().toList();
        return told.get(told.size() - 1);
    }

    private static String[] with(String[] words, String... more) {
        List<String> all = new java.util.ArrayList<>(List.of(words));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    void when_the_leading_supervisor_is_killed_its_command_dies_and_the_next_leads_within_the_ttl() {
        Cli.Call first = candidate("first");
        awaitWriting("first");
        Cli.Call second = candidate("second");
        second.awaitErr("waiting; first leads with token " + token("first"));
        long command = pid("first.pid");
        long daemon = pid("first.daemon");

        long killed = System.nanoTime();
        first.process().destroyForcibly();

        await().atMost(TTL.plus(SLACK))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> !Cli.isRunning(command) && !Cli.isRunning(daemon));
        awaitWriting("second");
        assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(TTL.plus(SLACK));
        assertThat(token("second")).isGreaterThan(token("first"));
        assertNeverTogether("first", "second");
        assertThat(leader()).containsEntry("node", "second").containsEntry("token", Long.toString(token("second")));
    }

    @Test
    void when_the_supervisor_alone_is_stopped_its_command_is_dead_before_the_next_one_starts() {
        Cli.Call first = candidate("first");
        awaitWriting("first");
        Cli.Call second = candidate("second");
        second.awaitErr("waiting; first leads");
        long command = pid("first.pid");
        long daemon = pid("first.daemon");

        first.signal("STOP");
        awaitWriting("second");

        assertThat(Cli.isRunning(command)).isFalse();
        assertThat(Cli.isRunning(daemon)).isFalse();
        assertNeverTogether("first", "second");
        first.signal("CONT");
        first.awaitErr("standing by");
        first.awaitErr("waiting; second leads with token " + token("second"));
        long before = writes("second");
        await().atMost(Duration.ofSeconds(10)).until(() -> writes("second") > before + 3);
        assertNeverTogether("first", "second");
        assertThat(first.process().isAlive()).isTrue();

        // And when the other goes, the one that was lost leads again.
        second.process().destroyForcibly();
        await().atMost(TTL.plus(SLACK)).until(() -> token("first") > token("second"));
    }

    @Test
    void when_the_guardian_alone_is_stopped_and_the_link_is_cut_the_supervisor_ends_the_command_in_time()
            throws Exception {
        Cli.Call first = candidateOn(cli.url().replace("local:", "cut:"), "first");
        awaitWriting("first");
        Cli.Call second = candidate("second");
        second.awaitErr("waiting; first leads");
        long command = pid("first.pid");
        long daemon = pid("first.daemon");

        Cli.signal("STOP", guardianOf(command));
        Path cut = Files.createFile(dir.resolve("store.cut"));
        awaitWriting("second");

        assertThat(Cli.isRunning(command)).isFalse();
        assertThat(Cli.isRunning(daemon)).isFalse();
        assertNeverTogether("first", "second");
        Files.delete(cut);
        first.awaitErr("waiting; second leads with token " + token("second"));
        second.process().destroyForcibly();
        await().atMost(TTL.plus(SLACK)).until(() -> token("first") > token("second"));
    }

    @Test
    void a_leader_whose_guardian_is_stopped_resigns_all_the_same() {
        Cli.Call first = candidate("first");
        awaitWriting("first");
        Cli.Call second = candidate("second");
        second.awaitErr("waiting; first leads");
        Cli.signal("STOP", guardianOf(pid("first.pid")));

        Cli.Call resign = cli.run("resign", "hello", "--url", cli.url());

        resign.mustExit(0);
        awaitWriting("second");
        assertNeverTogether("first", "second");
    }

    private static long guardianOf(long command) {
        return ProcessHandle.of(command).orElseThrow().parent().orElseThrow().pid();
    }

    @Test
    void with_exit_on_loss_a_lost_term_is_75() {
        Cli.Call first = candidate("first", "--exit-on-loss");
        awaitWriting("first");

        first.signal("STOP");
        Cli.Call second = candidate("second");
        awaitWriting("second");
        first.signal("CONT");

        first.mustExit(75);
        assertThat(first.err()).contains("leadership of hello was lost").doesNotContain("standing by");
        assertNeverTogether("first", "second");
        second.signal("KILL");
    }

    @Test
    void who_waits_for_a_process_of_its_own_name_says_so() {
        Cli.Call first = candidate("same");
        awaitWriting("same");
        Cli.Call second = candidate("same");

        second.awaitErr("waiting; another process of this name leads with token " + token("same"));

        assertThat(first.err()).doesNotContain("another process");
        second.signal("KILL");
        first.signal("KILL");
    }

    @Test
    void a_leader_resigns_when_another_process_asks_and_stands_again() {
        Cli.Call first = candidate("first");
        awaitWriting("first");
        Cli.Call second = candidate("second");
        second.awaitErr("waiting; first leads");

        Cli.Call resign = cli.run("resign", "hello", "--url", cli.url());
        awaitWriting("second");

        resign.mustExit(0);
        Matcher told = Pattern.compile("first stepped down from token (\\d+); .*", Pattern.DOTALL)
                .matcher(resign.out());
        assertThat(told.matches()).as(resign.out()).isTrue();
        assertThat(lines()).contains("first token " + told.group(1));
        assertNeverTogether("first", "second");
        first.awaitErr("stepping down from token " + told.group(1) + ": asked by ");
        first.awaitErr("waiting; second leads");
        second.process().destroyForcibly();
        await().atMost(TTL.plus(SLACK)).until(() -> token("first") > token("second"));
    }

    @Test
    void a_leader_that_does_not_obey_in_time_is_69_and_obeys_when_it_can() {
        Cli.Call leader = cli.start(
                "run",
                "--election",
                "hello",
                "--url",
                cli.url(),
                "--ttl",
                "30s",
                "--exit-on-loss",
                "--",
                "sleep",
                "1000");
        leader.awaitErr("leading hello");
        leader.signal("STOP");

        Cli.Call resign = cli.run("resign", "hello", "--url", cli.url(), "--wait", "500ms");
        leader.signal("CONT");

        resign.mustExit(69);
        assertThat(resign.err()).contains("leads with token", "still, 500ms after it was asked to step down");
        leader.mustExit(75);
    }
}
