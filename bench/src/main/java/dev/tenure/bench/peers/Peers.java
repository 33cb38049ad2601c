// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.seat.BenchProcessHandle;
import dev.tenure.bench.peers.store.BenchStore;
import dev.tenure.bench.peers.store.ConsulBenchStore;
import dev.tenure.bench.peers.store.EtcdBenchStore;
import dev.tenure.bench.peers.store.KubernetesBenchStore;
import dev.tenure.bench.peers.store.LocalFolder;
import dev.tenure.bench.peers.store.PostgresBenchStore;
import dev.tenure.bench.peers.store.RedisBenchStore;
import dev.tenure.bench.peers.store.ZooKeeperBenchStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** Starts servers, asks all questions, and prints one table. */
public final class Peers {
    private static final String SHORT = " --rounds 100 --warm-up 150";

    /** One run for each group of figures, with counts that fit into about 40 minutes together. */
    private static final List<String> ALL = List.of(
            "etcd --only handover --servers 1" + SHORT,
            "etcd --only handover,crowd,idle,many,pause,start --handovers 6 --repeats 1 --patience 40 --pauses 1"
                    + SHORT,
            "zookeeper --only handover --servers 1" + SHORT,
            "zookeeper --only handover,kill,crowd,idle,many,pause,start --handovers 6 --repeats 1 --patience 40 --pauses 1"
                    + SHORT,
            "postgres --only handover --contenders tenure,spring,postgres_floor" + SHORT,
            "postgres --only crowd,pause,start --contenders tenure,spring --handovers 6 --pauses 1",
            "postgres --only idle,many --contenders tenure,shedlock --repeats 1 --patience 40",
            "advisory --only handover --contenders tenure,spring,advisory_floor" + SHORT,
            "advisory --only crowd,pause,start --contenders tenure,spring --handovers 6 --pauses 1",
            "advisory --only idle,many --contenders tenure,shedlock --repeats 1 --patience 40",
            "local --only handover,many,start --repeats 1" + SHORT,
            "redis --only handover,kill,pause,start --kills 3 --pauses 1" + SHORT,
            "consul --only handover" + SHORT,
            "consul --only kill,pause,start --contenders tenure --kills 3 --pauses 1",
            "kubernetes --only handover,kill,pause,start --rounds 20 --warm-up 5 --kills 3 --pauses 1 --starts 5");

    private Peers() {}

    public static void measure(List<String> arguments, PrintStream out) throws Exception {
        measure(Stream.of(Settings.parse(arguments)), out);
    }

    /** All that is measured on these stores; on each, if none is named. */
    public static void measureAll(List<String> stores, PrintStream out) throws Exception {
        measure(
                ALL.stream()
                        .map(line -> Settings.parse(List.of(line.split(" "))))
                        .filter(settings -> stores.isEmpty() || stores.contains(settings.store())),
                out);
    }

    private static void measure(Stream<Settings> runs, PrintStream out) throws IOException {
        Files.createDirectories(BenchProcessHandle.LOG.toAbsolutePath().getParent());
        Files.deleteIfExists(BenchProcessHandle.LOG);
        out.println("all servers and clients on this machine of "
                + Runtime.getRuntime().availableProcessors() + " cores; load before: " + load());
        out.println();
        FigureTable table = new FigureTable(out);
        runs.forEach(settings -> settings.only().forEach(what -> measure(what, settings, table)));
        out.println();
        out.println("load after: " + load() + "; warnings of the contenders: " + warnings() + " in "
                + BenchProcessHandle.LOG);
    }

    /** On servers of its own: a peer may leave them wedged. What fails does not keep the others from being measured. */
    private static void measure(String what, Settings settings, FigureTable table) {
        System.err.println("measuring " + what + " on " + settings.store());
        try (BenchStore store = open(settings)) {
            for (Figure figure : measurement(what, settings).measure(store, settings)) {
                table.add(store.name(), store.contenders(), figure);
            }
        } catch (Exception | AssertionError failure) {
            table.failed(settings.store(), what, failure);
        }
    }

    private static BenchStore open(Settings settings) throws SQLException {
        return switch (settings.store()) {
            case "etcd" -> new EtcdBenchStore(settings.number("--servers"));
            case "zookeeper" -> new ZooKeeperBenchStore(settings.number("--servers"));
            case "postgres" -> PostgresBenchStore.rows();
            case "advisory" -> PostgresBenchStore.advisory();
            case "local" -> new LocalFolder();
            case "redis" -> new RedisBenchStore();
            case "consul" -> new ConsulBenchStore(settings.number("--servers"));
            case "kubernetes" -> new KubernetesBenchStore();
            default -> throw new IllegalArgumentException("usage: " + Settings.USAGE);
        };
    }

    private static PeerMeasurement measurement(String what, Settings settings) {
        return switch (what) {
            case "handover" -> new Handovers();
            case "kill" -> new Kills();
            case "crowd" -> new ManyCandidates();
            case "idle" -> new IdleCost(settings);
            case "many" -> new ThousandsOfElections(settings);
            case "pause" -> new Pauses();
            case "start" -> new Starts();
            default -> throw new IllegalArgumentException("usage: " + Settings.USAGE);
        };
    }

    private static long warnings() throws IOException {
        if (!Files.exists(BenchProcessHandle.LOG)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(BenchProcessHandle.LOG)) {
            return lines.filter(line -> line.startsWith("WARNING")).count();
        }
    }

    /** Others on the machine make every figure worse: let it be seen. */
    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }
}
