// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.database;

import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Json;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Table;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronJobs;
import dev.tenure.patterns.CronJobs.Job;
import dev.tenure.patterns.CronJobs.Run;
import dev.tenure.patterns.Journal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code tenure cron}: the jobs of a journal, and what operators ask of them. */
public final class CronCommand implements Command {
    static final Option URL = DatabaseUrl.option("the journal");
    private static final Option JOURNAL =
            Option.value("--journal", "NAME", "what Journal.named calls it, default main");
    private static final Option FOR = Option.value("--for", "DURATION", "pause: how long, default until resume");
    private static final Option WHY = Option.value("--why", "TEXT", "pause: shown to others");
    private static final Option LIMIT = Option.value("--limit", "N", "history: how many runs, default 20");
    private static final int SHOWN = 5;
    private static final int SHOWN_MAX = 10_000;

    @Override
    public Usage usage() {
        return new Usage(
                "cron",
                "show, pause and run the jobs of a cron journal",
                """
                list shows each job, when it is due, and whether it runs, is paused, is overdue, or is not in the leader's code any more.
                What is due during a pause is not run later either. run-now also runs a job that is paused. The leader notices run-now
                and resume within 30 s; a pause counts at once.
                """,
                List.of(
                        Form.of("list").taking(JOURNAL, URL, Option.JSON),
                        Form.of("show|history JOB").taking(LIMIT, JOURNAL, URL, Option.JSON),
                        Form.of("pause JOB").taking(FOR, WHY, JOURNAL, URL, Option.JSON),
                        Form.of("resume|run-now JOB").taking(JOURNAL, URL, Option.JSON)),
                List.of(
                        "tenure cron list --url postgresql://app@db/app",
                        "tenure cron pause reports/daily --for 2h --why stocktaking --url postgresql://app@db/app"));
    }

    @Override
    public int run(Options options, Console console) {
        String word = options.operand(0);
        Optional<Duration> pause = options.duration(FOR);
        int limit = (int) options.number(LIMIT, word.equals("show") ? SHOWN : 4 * SHOWN, 1, SHOWN_MAX);
        DatabaseUrl database = DatabaseUrl.of(options, URL);
        Journal journal = Journal.jdbc(database.source());
        CronJobs jobs = CronJobs.in(options.value(JOURNAL).map(journal::named).orElse(journal));
        try {
            switch (word) {
                case "list" -> list(jobs, options, console);
                case "show", "history" ->
                    runs(job(jobs, options), jobs.history(options.operand(1), limit), options, console);
                default -> change(jobs, job(jobs, options).name(), pause, options, console);
            }
            return ExitCode.OK;
        } catch (SQLException failure) {
            throw database.failed(failure);
        }
    }

    private static void list(CronJobs jobs, Options options, Console console) throws SQLException {
        List<Job> all = jobs.list();
        Table table = new Table("JOB", "SCHEDULE", "DUE", "STATUS");
        all.forEach(job -> table.row(job.name(), job.schedule(), job.next(), status(job)));
        console.print(
                options,
                Map.of("jobs", all.stream().map(CronCommand::json).toList()),
                all.isEmpty() ? List.of("No jobs: no leader has run with this journal yet.") : table.lines());
    }

    private static Job job(CronJobs jobs, Options options) throws SQLException {
        String name = options.operand(1);
        Optional<Job> job = jobs.find(name);
        if (job.isEmpty()) {
            List<String> names = jobs.list().stream().map(Job::name).toList();
            throw options.wrong("there is no job '" + Options.shown(name) + "'" + Options.suggestion(name, names));
        }
        return job.get();
    }

    private static void change(CronJobs jobs, String name, Optional<Duration> time, Options options, Console console)
            throws SQLException {
        String word = options.operand(0);
        String by = System.getProperty("user.name", "");
        String why = options.value(WHY).orElse("");
        boolean unused = switch (word) {
            case "pause" ->
                time.isPresent()
                        ? jobs.pause(name, time.get(), by, why)
                        : jobs.pause(name, CronJobs.UNTIL_RESUMED, by, why);
            case "resume" -> jobs.resume(name);
            default -> jobs.runNow(name, by);
        };
        String done = switch (word) {
            case "pause" -> " is paused" + (time.isPresent() ? "" : " until tenure cron resume " + name);
            case "resume" -> " is due again from now on";
            default -> " is run when its leader looks next, within 30 s";
        };
        console.print(options, Map.of("job", name, "done", word), name + done);
    }

    /** {@code show} has the job in front of its runs. */
    private static void runs(Job job, List<Run> runs, Options options, Console console) {
        boolean all = options.operand(0).equals("show");
        List<Map<String, Object>> shown = runs.stream().map(CronCommand::json).toList();
        List<String> lines = new ArrayList<>();
        if (all) {
            lines.add(job.name() + "  " + job.schedule());
            lines.add("due " + job.next().map(Instant::toString).orElse("—") + ", " + status(job));
        }
        lines.addAll(Table.of(shown, "due", "state", "attempt", "node", "began", "ended", "note")
                .lines());
        Map<String, Object> object = all ? json(job) : Json.object("job", job.name());
        object.put("runs", shown);
        console.print(options, object, lines);
    }

    private static String status(Job job) {
        Optional<Run> running = job.newest().filter(run -> run.state() == State.RUNNING);
        if (running.isPresent()) {
            return "runs on " + running.get().at().node() + " since "
                    + running.get().at().began();
        }
        if (job.pause().isPresent()) {
            CronJobs.Pause pause = job.pause().get();
            return "paused " + (pause.until().equals(CronJobs.UNTIL_RESUMED) ? "" : "until " + pause.until() + " ")
                    + "by " + pause.by() + (pause.why().isEmpty() ? "" : ": " + pause.why());
        }
        return switch (job.condition()) {
            case ORPHAN -> "not in the leader's code";
            case OVERDUE -> "OVERDUE";
            case ON_TIME -> job.newest().map(run -> "last: " + run.state()).orElse("on time");
        };
    }

    private static Map<String, Object> json(Job job) {
        Map<String, Object> told = Json.object(
                "job", job.name(), "schedule", job.schedule(), "condition", job.condition(), "due", job.next());
        job.pause()
                .ifPresent(pause -> told.put(
                        "paused",
                        Map.of(
                                "until", pause.until().equals(CronJobs.UNTIL_RESUMED) ? "" : pause.until(),
                                "by", pause.by(),
                                "why", pause.why())));
        job.newest().ifPresent(run -> told.put("newest", json(run)));
        return told;
    }

    private static Map<String, Object> json(Run run) {
        return Json.object(
                "due", run.due(),
                "state", run.state(),
                "attempt", run.attempt(),
                "node", run.at().node(),
                "token", run.at().token(),
                "began", run.at().began(),
                "ended", run.at().ended(),
                "note", run.note());
    }
}
