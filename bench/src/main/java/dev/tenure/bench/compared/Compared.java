// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

import dev.tenure.bench.compared.FaultRun.Tally;
import dev.tenure.sql.servers.Postgres;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** All faults for all contenders on one PostgreSQL, and what they cost when they have nothing to do. */
public final class Compared {
    private static final String USAGE =
            "usage: bench/run compared [--rounds 2] [--contenders cron,quartz,…] [--faults stop,kill_before,…|none] [--idle yes|no]";

    private static final Duration SETTLE = Duration.ofSeconds(15);
    private static final Duration MEASURED = Duration.ofMinutes(1);

    private final PrintStream out;
    private final Map<JobKind, Map<FaultCase, Tally>> tallies = new EnumMap<>(JobKind.class);
    private final Map<JobKind, Idle> idles = new EnumMap<>(JobKind.class);
    private Set<JobKind> kinds = EnumSet.allOf(JobKind.class);
    private Set<FaultCase> faults = EnumSet.allOf(FaultCase.class);
    private int rounds = 2;
    private boolean idle = true;
    private int databases;

    /** @param statements of both processes in a minute, with {@code BEGIN} and {@code COMMIT} */
    private record Idle(long threads, long statements, long heartbeats) {}

    private Compared(PrintStream out) {
        this.out = out;
    }

    public static void measure(List<String> arguments, PrintStream out) throws Exception {
        Compared compared = new Compared(out);
        compared.parse(arguments);
        long beganNanos = System.nanoTime();
        out.println("bench/run compared " + String.join(" ", arguments));
        try (Postgres server =
                Postgres.running("fsync=on", "max_connections=400", "shared_preload_libraries=pg_stat_statements")) {
            server.execute("CREATE EXTENSION pg_stat_statements");
            out.println("PostgreSQL " + server.ask("SHOW server_version") + ", "
                    + Runtime.getRuntime().availableProcessors() + " cores; load before: " + load());
            compared.run(server);
            compared.print();
            compared.judge();
            long minutes = Duration.ofNanos(System.nanoTime() - beganNanos).toMinutes();
            out.println(
                    "load after: " + load() + "; JDK " + Runtime.version().feature() + "; took " + minutes + " min");
        }
    }

    private void parse(List<String> arguments) {
        if (arguments.size() % 2 != 0) {
            throw new IllegalArgumentException(USAGE);
        }
        for (int i = 0; i < arguments.size(); i += 2) {
            String value = arguments.get(i + 1);
            switch (arguments.get(i)) {
                case "--rounds" -> rounds = Integer.parseInt(value);
                case "--contenders" -> kinds = some(JobKind.class, value);
                case "--faults" -> faults = some(FaultCase.class, value);
                case "--idle" -> idle = value.equals("yes");
                default -> throw new IllegalArgumentException(USAGE);
            }
        }
    }

    private static <E extends Enum<E>> Set<E> some(Class<E> type, String names) {
        Set<E> some = EnumSet.noneOf(type);
        if (!names.equals("none")) {
            Arrays.stream(names.toUpperCase(Locale.ROOT).split(","))
                    .forEach(name -> some.add(Enum.valueOf(type, name)));
        }
        return some;
    }

    /** All contenders at once, so that all have the same machine. */
    private void run(Postgres server) throws Exception {
        if (idle) {
            List<JobPair> pairs = start(server, true, false);
            try {
                measureIdle(server, pairs);
            } finally {
                pairs.forEach(JobPair::close);
            }
        }
        for (int round = 1; round <= rounds; round++) {
            List<JobPair> pairs = List.of();
            try {
                FaultCase before = FaultCase.KILL_AFTER;
                for (FaultCase fault : faults) {
                    if (pairs.isEmpty() || !fault.follows(before)) {
                        pairs.forEach(JobPair::close);
                        pairs = start(server, false, fault.isClock());
                    }
                    measure(fault, pairs);
                    before = fault;
                }
            } finally {
                pairs.forEach(JobPair::close);
            }
        }
    }

    private List<JobPair> start(Postgres server, boolean notDue, boolean ownClocks) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(kinds.size());
        List<JobPair> pairs = new ArrayList<>();
        try {
            List<Future<JobPair>> starting = new ArrayList<>();
            for (JobKind kind : kinds) {
                databases++;
                String database = "compared" + databases;
                starting.add(threads.submit(() -> JobPair.start(server, database, kind, notDue, ownClocks)));
            }
            for (Future<JobPair> each : starting) {
                pairs.add(each.get());
            }
            return pairs;
        } catch (Exception failure) {
            pairs.forEach(JobPair::close);
            throw failure;
        } finally {
            threads.shutdownNow();
        }
    }

    private void measure(FaultCase fault, List<JobPair> pairs) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(pairs.size());
        try {
            Map<JobPair, Future<Tally>> running = new LinkedHashMap<>();
            pairs.forEach(pair -> running.put(pair, threads.submit(() -> FaultRun.measure(pair, fault))));
            for (Map.Entry<JobPair, Future<Tally>> each : running.entrySet()) {
                JobKind kind = each.getKey().kind();
                Tally tally = each.getValue().get();
                out.println(kind.title() + ", " + fault + ": " + tally);
                tallies.computeIfAbsent(kind, any -> new EnumMap<>(FaultCase.class))
                        .merge(fault, tally, Tally::plus);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void measureIdle(Postgres server, List<JobPair> pairs) throws Exception {
        TimeUnit.NANOSECONDS.sleep(SETTLE.toNanos());
        Map<JobKind, Long> before = new EnumMap<>(JobKind.class);
        for (JobPair pair : pairs) {
            before.put(pair.kind(), pair.cost().heartbeats());
        }
        server.execute("SELECT pg_stat_statements_reset()");
        TimeUnit.NANOSECONDS.sleep(MEASURED.toNanos());
        for (JobPair pair : pairs) {
            long statements = Long.parseLong(server.ask("SELECT COALESCE(sum(calls), 0) FROM pg_stat_statements"
                    + " JOIN pg_database d ON d.oid = dbid WHERE d.datname = '" + pair.database() + "'"));
            JobPair.Cost cost = pair.cost();
            long heartbeats = cost.heartbeats() - before.getOrDefault(pair.kind(), 0L);
            idles.put(pair.kind(), new Idle(cost.threads(), statements, heartbeats));
            out.println(pair.kind().title() + ", idle: " + idles.get(pair.kind()));
        }
    }

    private void print() {
        out.println();
        String each = rounds == 1 ? "one fault" : rounds == 2 ? "two faults" : rounds + " faults";
        StringBuilder head = new StringBuilder("| twice / lost / **stale**, " + each + " of each kind |");
        kinds.forEach(kind -> head.append(' ').append(kind.title()).append(" |"));
        out.println(head);
        out.println("|---|" + "---|".repeat(kinds.size()));
        for (FaultCase fault : faults) {
            StringBuilder line = new StringBuilder("| " + fault.title() + " |");
            for (JobKind kind : kinds) {
                Tally tally = tallies.getOrDefault(kind, Map.of()).getOrDefault(fault, Tally.NONE);
                line.append(" " + tally.twice() + " / " + tally.lost() + " / **" + tally.stale() + "** |");
            }
            out.println(line);
        }
        if (idle) {
            StringBuilder threads = new StringBuilder("| idle: threads of a process |");
            StringBuilder statements = new StringBuilder("| idle: statements per minute of both processes |");
            StringBuilder heartbeats = new StringBuilder("| idle: statements per heartbeat |");
            for (JobKind kind : kinds) {
                Idle cost = idles.getOrDefault(kind, new Idle(0, 0, 0));
                threads.append(" " + cost.threads() + " |");
                statements.append(" " + cost.statements() + " |");
                heartbeats.append(
                        kind.isTenure()
                                ? String.format(Locale.ROOT, " %.2f |", cost.statements() / (double) cost.heartbeats())
                                : " |");
            }
            out.println(threads);
            out.println(statements);
            out.println(heartbeats);
        }
    }

    /** What Tenure aims at, as far as it was measured. */
    private void judge() {
        for (JobKind kind : kinds) {
            Map<FaultCase, Tally> counted = tallies.getOrDefault(kind, Map.of());
            if (kind.isTenure() && !counted.isEmpty()) {
                long stale = counted.values().stream().mapToLong(Tally::stale).sum();
                out.println(kind.title() + ": no stale write: " + (stale == 0 ? "met" : "MISSED"));
            }
            Idle cost = idles.get(kind);
            if (kind.isTenure() && cost != null) {
                boolean met = cost.statements() <= cost.heartbeats();
                out.println(kind.title() + ": one statement per heartbeat when idle: " + (met ? "met" : "MISSED"));
            }
        }
    }

    /** Others on the machine make every figure worse: let it be seen. */
    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }
}
