package dev.tenure.cli.patterns;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Spelling;
import dev.tenure.cli.command.StoreOptions;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Verb;
import dev.tenure.cli.fence.DatabaseUrl;
import dev.tenure.cli.text.Console;
import dev.tenure.cli.text.Json;
import dev.tenure.cli.text.Printable;
import dev.tenure.cli.text.Table;
import dev.tenure.patterns.Cron.State;
import dev.tenure.patterns.CronJobs;
import dev.tenure.patterns.CronJobs.Job;
import dev.tenure.patterns.CronJobs.Run;
import dev.tenure.patterns.Journal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code tenure cron}: the jobs of a journal, and what operators ask of them. */
public final class CronVerb implements Verb {
    static final Option URL =
            Option.value("--url", "URL", "the database that has the journal").or(StoreOptions.URL.variable());
    static final Option JSON = Option.flag("--json", "one JSON object, for programs");
    private static final Option JOURNAL =
            Option.value("--journal", "NAME", "what Journal.named calls it, default main");
    private static final Option FOR = Option.value("--for", "DURATION", "pause: how long, default until resume");
    private static final Option WHY = Option.value("--why", "TEXT", "pause: shown to others");
    private static final Option LIMIT = Option.value("--limit", "N", "history: how many runs, default 20");
    private static final List<String> WORDS = List.of("list", "show", "pause", "resume", "run-now", "history");
    private static final int SHOWN = 5;

    @Override
    public Usage usage() {
        return new Usage(
                "cron",
                List.of(
                        "cron list [--journal NAME] [--url URL] [--json]",
                        "cron show|history JOB [--limit N] [--journal NAME] [--url URL] [--json]",
                        "cron pause JOB [--for DURATION] [--why TEXT] [--journal NAME] [--url URL] [--json]",
                        "cron resume|run-now JOB [--journal NAME] [--url URL] [--json]"),
                "show, pause and run the jobs of a cron journal",
                """
                list shows each job, when it is due, and whether it runs, is paused, is overdue, or is not in the leader's code any more.
                What is due during a pause is not run later either. run-now also runs a job that is paused. The leader notices both
                within about 5 s.
                """,
                List.of(JOURNAL, FOR, WHY, LIMIT, URL, JSON),
                WORDS,
                List.of(
                        "tenure cron list --url postgresql://app@db/app",
                        "tenure cron pause reports/daily --for 2h --why stocktaking --url postgresql://app@db/app"));
    }

    @Override
    public int run(Options options, Console console) {
        options.refuseOperands(2);
        String word = options.operands().isEmpty() ? "" : options.operands().get(0);
        if (!WORDS.contains(word)) {
            throw options.wrong(
                    word.isEmpty()
                            ? String.join(", ", WORDS) + "?"
                            : "unknown word '" + Printable.line(word, 40) + "'" + Spelling.suggestion(word, WORDS));
        }
        boolean named = options.operands().size() == 2;
        if (named == word.equals("list")) {
            throw options.wrong(named ? "cron list takes no job" : "which job? tenure cron " + word + " JOB");
        }
        DatabaseUrl database = database(options);
        Journal journal = Journal.jdbc(database.source());
        CronJobs jobs = CronJobs.in(options.value(JOURNAL).map(journal::named).orElse(journal));
        try {
            return named ? about(jobs, word, options, console) : list(jobs, options, console);
        } catch (SQLException failure) {
            throw database.failed(failure);
        }
    }

    static DatabaseUrl database(Options options) {
        return DatabaseUrl.parse(options.value(URL)
                .orElseThrow(() -> options.wrong("which database? --url postgresql://user@host/db, or TENURE_URL")));
    }

    private static int list(CronJobs jobs, Options options, Console console) throws SQLException {
        List<Job> all = jobs.list();
        if (options.has(JSON)) {
            console.print(
                    Json.text(Map.of("jobs", all.stream().map(CronVerb::json).toList())));
        } else if (all.isEmpty()) {
            console.print("No jobs: no leader has run with this journal yet.");
        } else {
            Table table = new Table("JOB", "SCHEDULE", "DUE", "STATUS");
            all.forEach(job -> table.row(job.name(), job.schedule(), text(job.next()), Printable.line(status(job))));
            table.lines().forEach(console::print);
        }
        return ExitCode.OK;
    }

    private static int about(CronJobs jobs, String word, Options options, Console console) throws SQLException {
        String name = options.operands().get(1);
        Optional<Job> job = jobs.find(name);
        if (job.isEmpty()) {
            throw options.wrong("there is no job '" + Printable.line(name, 60) + "'"
                    + Spelling.suggestion(
                            name, jobs.list().stream().map(Job::name).toList()));
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
                yield name + " is run when its leader looks next";
            }
            default -> "";
        };
        if (!done.isEmpty()) {
            console.print(options.has(JSON) ? Json.text(Map.of("job", name, "done", word)) : done);
            return ExitCode.OK;
        }
        int limit = options.value(LIMIT).map(Integer::parseInt).orElse(word.equals("show") ? SHOWN : 4 * SHOWN);
        print(job.get(), jobs.history(name, limit), word.equals("show"), options.has(JSON), console);
        return ExitCode.OK;
    }

    private static void print(Job job, List<Run> runs, boolean all, boolean json, Console console) {
        if (json) {
            Map<String, Object> told = all ? json(job) : new LinkedHashMap<>(Map.of("job", job.name()));
            told.put("runs", runs.stream().map(CronVerb::json).toList());
            console.print(Json.text(told));
            return;
        }
        if (all) {
            console.print(job.name() + "  " + job.schedule());
            console.print(Printable.line("due " + text(job.next()) + ", " + status(job)));
        }
        Table table = new Table("DUE", "STATE", "ATTEMPT", "NODE", "BEGAN", "ENDED", "NOTE");
        runs.forEach(run -> table.row(
                run.due().toString(),
                run.state().toString(),
                Integer.toString(run.attempt()),
                Printable.line(run.at().node()),
                run.at().began().toString(),
                text(run.at().ended()),
                Printable.line(run.note())));
        table.lines().forEach(console::print);
    }

    private static String status(Job job) {
        Optional<Run> running = job.newest().filter(run -> run.state() == State.RUNNING);
        String runs = running.map(run ->
                        "runs on " + run.at().node() + " since " + run.at().began())
                .orElse("");
        String paused = job.pause()
                .map(pause ->
                        "paused " + (pause.until().equals(CronJobs.UNTIL_RESUMED) ? "" : "until " + pause.until() + " ")
                                + "by " + pause.by() + (pause.why().isEmpty() ? "" : ": " + pause.why()))
                .orElse("");
        return !runs.isEmpty()
                ? runs
                : !paused.isEmpty()
                        ? paused
                        : switch (job.condition()) {
                            case ORPHAN -> "not in the leader's code";
                            case OVERDUE -> "OVERDUE";
                            case ON_TIME ->
                                job.newest().map(run -> "last: " + run.state()).orElse("on time");
                        };
    }

    private static Map<String, Object> json(Job job) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("job", job.name());
        told.put("schedule", job.schedule());
        told.put("condition", job.condition());
        told.put("due", job.next());
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
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("due", run.due());
        told.put("state", run.state());
        told.put("attempt", run.attempt());
        told.put("node", run.at().node());
        told.put("token", run.at().token());
        told.put("began", run.at().began());
        told.put("ended", run.at().ended());
        told.put("note", run.note());
        return told;
    }

    static String text(Optional<Instant> instant) {
        return instant.map(Instant::toString).orElse("—");
    }
}
