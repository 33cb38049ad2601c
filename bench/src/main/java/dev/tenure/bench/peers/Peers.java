package dev.tenure.bench.peers;

import dev.tenure.bench.peers.seat.SeatProcess;
import dev.tenure.bench.peers.store.EtcdStore;
import dev.tenure.bench.peers.store.PostgresStore;
import dev.tenure.bench.peers.store.Store;
import dev.tenure.bench.peers.store.ZooKeeperStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Starts a cluster, asks all questions, and prints one table. */
public final class Peers {
    private Peers() {}

    public static void measure(List<String> arguments, PrintStream out) throws Exception {
        Settings settings = Settings.parse(arguments);
        out.println("bench/run peers " + String.join(" ", arguments));
        out.println("all servers and clients on this machine of "
                + Runtime.getRuntime().availableProcessors() + " cores; load before: " + load());
        Files.createDirectories(SeatProcess.LOG.toAbsolutePath().getParent());
        Files.deleteIfExists(SeatProcess.LOG);
        Optional<Table> table = Optional.empty();
        for (String what : settings.only()) {
            // A cluster for each: a peer may leave it wedged.
            try (Store store = open(settings.store())) {
                out.println("measuring " + what + " on " + store.name());
                table = Optional.of(table.orElseGet(() -> new Table(settings.among(store.contenders()))));
                measurement(what, settings).measure(store, settings).forEach(table.get()::add);
            }
        }
        table.ifPresent(all -> all.print(out));
        out.println("load after: " + load() + "; warnings of the contenders: " + warnings() + " in " + SeatProcess.LOG);
    }

    private static Store open(String name) throws SQLException {
        return switch (name) {
            case "etcd" -> new EtcdStore();
            case "zookeeper" -> new ZooKeeperStore();
            case "postgres" -> new PostgresStore();
            default -> throw new IllegalArgumentException("usage: " + Settings.USAGE);
        };
    }

    private static Measurement measurement(String what, Settings settings) {
        return switch (what) {
            case "handover" -> new Handovers();
            case "many" -> new ThousandsOfElections(settings);
            case "crowd" -> new Crowd(settings);
            case "pause" -> new Pauses();
            default -> throw new IllegalArgumentException("usage: " + Settings.USAGE);
        };
    }

    private static long warnings() throws IOException {
        if (!Files.exists(SeatProcess.LOG)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(SeatProcess.LOG)) {
            return lines.filter(line -> line.startsWith("WARNING")).count();
        }
    }

    /** Others on the machine make every figure worse: let it be seen. */
    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }
}
