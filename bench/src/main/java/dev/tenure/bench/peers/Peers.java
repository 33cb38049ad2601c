package dev.tenure.bench.peers;

import dev.tenure.bench.peers.store.EtcdStore;
import dev.tenure.bench.peers.store.Store;
import dev.tenure.bench.peers.store.ZooKeeperStore;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Starts a cluster, asks all questions, and prints one table. */
public final class Peers {
    private Peers() {}

    public static void measure(List<String> arguments, PrintStream out) throws Exception {
        Settings settings = Settings.parse(arguments);
        try (Store store = open(settings.store())) {
            out.println("bench/run peers " + String.join(" ", arguments));
            out.println(store.name() + ", three servers, and all clients on this machine of "
                    + Runtime.getRuntime().availableProcessors() + " cores; load before: " + load());
            Table table = new Table(store.contenders());
            for (String what : settings.only()) {
                out.println("measuring: " + what);
                measurement(what, settings).measure(store, settings).forEach(table::add);
            }
            table.print(out);
            out.println("load after: " + load());
        }
    }

    private static Store open(String name) {
        return switch (name) {
            case "etcd" -> new EtcdStore();
            case "zookeeper" -> new ZooKeeperStore();
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

    /** Others on the machine make every figure worse: let it be seen. */
    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }
}
