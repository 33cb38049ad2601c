// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.ensemble;

import dev.tenure.support.Folders;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Real servers of ZooKeeper on free ports of this machine, three unless another number is asked for. */
public final class Ensemble implements AutoCloseable {
    public static final Duration TICK = Duration.ofMillis(200);
    private static final int SERVERS = 3;
    private static final int STARTS_MAX = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path folder;
    private final List<Server> servers;
    private final Thread atExit = new Thread(this::remove);

    private Ensemble(Path folder, List<Server> servers) {
        this.folder = folder;
        this.servers = servers;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** The one that all tests share which do not harm it; it ends with this JVM. */
    public static Ensemble shared() {
        return Shared.ENSEMBLE;
    }

    private static final class Shared {
        private static final Ensemble ENSEMBLE = start();
    }

    public static Ensemble start() {
        return start(List.of(), List.of());
    }

    /** @param settings further lines of the servers' configuration */
    public static Ensemble start(List<String> settings, List<String> properties) {
        return start(SERVERS, settings, properties);
    }

    /** So many servers; a single one stands alone, without an ensemble. */
    public static Ensemble start(int size) {
        return start(size, List.of(), List.of());
    }

    public static Ensemble start(int size, List<String> settings, List<String> properties) {
        AssertionError last = new AssertionError("never tried");
        for (int attempt = 0; attempt < STARTS_MAX; attempt++) {
            try {
                Ensemble ensemble = launch(size, settings, properties);
                try {
                    ensemble.awaitReady();
                    return ensemble;
                } catch (AssertionError portTaken) {
                    last = portTaken;
                    ensemble.close();
                }
            } catch (IOException failure) {
                throw new UncheckedIOException("ZooKeeper's servers cannot be started", failure);
            }
        }
        throw last;
    }

    private static Ensemble launch(int size, List<String> settings, List<String> properties) throws IOException {
        Path folder = Folders.temporary("zookeeper");
        List<Integer> ports = Ports.free(size * 3);
        List<String> members = new ArrayList<>();
        for (int i = 0; i < size && size > 1; i++) {
            members.add("server." + (i + 1) + "=127.0.0.1:" + ports.get(3 * i) + ":" + ports.get(3 * i + 1)
                    + ";127.0.0.1:" + ports.get(3 * i + 2));
        }
        if (size == 1) {
            members.add("clientPortAddress=127.0.0.1");
            members.add("clientPort=" + ports.get(2));
        }
        List<Server> servers = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Path own = Files.createDirectory(folder.resolve("server-" + (i + 1)));
            Path data = Files.createDirectory(own.resolve("data"));
            Files.writeString(data.resolve("myid"), Integer.toString(i + 1));
            List<String> lines = new ArrayList<>(List.of(
                    "tickTime=" + TICK.toMillis(),
                    "initLimit=50",
                    "syncLimit=25",
                    "maxSessionTimeout=60000",
                    "maxClientCnxns=0",
                    "standaloneEnabled=" + (size == 1),
                    "reconfigEnabled=false",
                    "dataDir=" + data));
            lines.addAll(members);
            lines.addAll(settings);
            Files.write(own.resolve("zoo.cfg"), lines);
            servers.add(new Server(own, ports.get(3 * i + 2), withoutWaitingForTheDisk(properties)));
        }
        return new Ensemble(folder, List.copyOf(servers));
    }

    /** A killed process leaves what it wrote to the kernel; only the machine's own end would need the disk. */
    private static List<String> withoutWaitingForTheDisk(List<String> properties) {
        List<String> all = new ArrayList<>(properties);
        all.add("-Dzookeeper.forceSync=no");
        return all;
    }

    public List<Server> servers() {
        return servers;
    }

    public Server leader() {
        awaitReady();
        return servers.stream()
                .filter(server -> server.mode().filter("leader"::equals).isPresent())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no server leads"));
    }

    /** Waits until every server serves. */
    public void awaitReady() {
        long byNanos = System.nanoTime() + PATIENCE.toNanos();
        while (!servers.stream().allMatch(server -> server.mode().isPresent())) {
            boolean ended = servers.stream().anyMatch(server -> !server.isAlive());
            if (ended || System.nanoTime() - byNanos > 0) {
                throw new AssertionError("ZooKeeper's servers do not serve; their logs are in " + folder);
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /** {@code host:port,host:port,host:port}. */
    public String addresses() {
        return servers.stream().map(Server::address).collect(Collectors.joining(","));
    }

    public String url(String path) {
        return "zk://" + addresses() + path + "?tick=" + TICK.toMillis() + "ms";
    }

    /** New servers at the old place, with nothing in them. */
    public void rebuild() throws IOException {
        servers.forEach(Server::destroy);
        for (Server server : servers) {
            Folders.delete(server.history());
        }
        for (Server server : servers) {
            server.startAgain();
        }
        awaitReady();
    }

    private void remove() {
        servers.forEach(Server::destroy);
        Folders.delete(folder);
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(atExit);
        remove();
    }
}
