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
        DatabaseUrl database = DatabaseUrl.of(options, URL);
        Journal journal = Journal.jdbc(database.source());
        CronJobs jobs = CronJobs.in(options.value(JOURNAL).map(journal::named).orElse(journal));
        try {
            return word.equals("list") ? list(jobs, options, console) : about(jobs, word, options, console);
        } catch (SQLException failure) {
            throw database.failed(failure);
        }
    }

    private static int list(CronJobs jobs, Options options, Console console) throws SQLException {
        List<Job> all = jobs.list();
        if (options.has(Option.JSON)) {
            console.print(
                    Json.text(Map.of("jobs", all.stream().map(CronCommand::json).toList())));
        } else if (all.isEmpty()) {
            console.print("No jobs: no leader has run with this journal yet.");
        } else {
            Table table = new Table("JOB", "SCHEDULE", "DUE", "STATUS");
            all.forEach(job -> table.row(job.name(), job.schedule(), job.next(), status(job)));
            console.print(table);
        }
        return ExitCode.OK;
    }

    private static int about(CronJobs jobs, String word, Options options, Console console) throws SQLException {
        String name = options.operand(1);
        Optional<Job> job = jobs.find(name);
        if (job.isEmpty()) {
            List<String> names = jobs.list().stream().map(Job::name).toList();
            throw options.wrong("there is no job '" + Options.shown(name) + "'" + Options.suggestion(name, names));
        }
        String by = System.getProperty("user.name", "");
        String why = options.value(WHY).orElse("");
        String done = switch (word) {
            case "pause" -> {
                Optional<Duration> time = options.duration(FOR);
                boolean unused = time.isPresent()
                        ? jobs.pause(name, time.get(), by, why)
                        : jobs.pause(name, CronJobs.UNTIL_RESUMED, by, why);
                yield name + " is paused" + (time.isPresent() ? "" : " until tenure cron resume " + name);
            }
            case "resume" -> {
                boolean unused = jobs.resume(name);
                yield name + " is due again from now on";
            }
            case "run-now" -> {
                boolean unused = jobs.runNow(name, by);
                yield name + " is run when its leader looks next, within 30 s";
            }
            default -> "";
        };
        if (!done.isEmpty()) {
            console.print(options, Map.of("job", name, "done", word), done);
            return ExitCode.OK;
        }
        boolean all = word.equals("show");
        List<Run> runs = jobs.history(name, (int) options.number(LIMIT, all ? SHOWN : 4 * SHOWN, 1, SHOWN_MAX));
        if (options.has(Option.JSON)) {
            Map<String, Object> told = all ? json(job.get()) : Json.object("job", name);
            told.put("runs", runs.stream().map(CronCommand::json).toList());
            console.print(Json.text(told));
            return ExitCode.OK;
        }
        if (all) {
            console.print(name + "  " + job.get().schedule());
            String due = job.get().next().map(Instant::toString).orElse("—");
            console.print("due " + due + ", " + status(job.get()));
        }
        Table table = new Table("DUE", "STATE", "ATTEMPT", "NODE", "BEGAN", "ENDED", "NOTE");
        runs.forEach(run -> table.row(
                run.due(),
                run.state(),
                run.attempt(),
                run.at().node(),
                run.at().began(),
                run.at().ended(),
                run.note()));
        console.print(table);
        return ExitCode.OK;
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
