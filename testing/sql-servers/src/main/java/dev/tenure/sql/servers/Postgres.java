package dev.tenure.sql.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A real PostgreSQL. It refuses to run as root, so that root starts it as another user. */
public final class Postgres extends SqlServer {
    private static final byte[] NO_INPUT = {};
    /** The line of {@code postmaster.pid} that names the segment of shared memory: its key and its id. */
    private static final int SHARED_MEMORY_LINE = 6;

    private final Path folder;
    private final List<String> settings;

    private Postgres(Path folder, ServerProcess process, int port, List<String> settings) {
        super(process, port);
        this.folder = folder;
        this.settings = settings;
    }

    /**
     * @param settings as in {@code postgresql.conf}, such as {@code fsync=on}; without any, nothing is written through to the
     *     disk, because a test does not outlive a crash of the machine
     */
    public static Postgres running(String... settings) {
        Path folder = Folders.temporary("postgres");
        Path password = folder.resolve("password");
        try {
            Files.writeString(password, PASSWORD);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        giveAway(folder);
        run(
                folder,
                program("initdb"),
                List.of(
                        "-D",
                        data(folder).toString(),
                        "--no-sync",
                        "-U",
                        USER,
                        "-E",
                        "UTF8",
                        "--locale=C",
                        "--auth=scram-sha-256",
                        "--pwfile=" + password),
                Map.of());
        Postgres server = at(folder, List.of(settings));
        server.startEmpty();
        return server;
    }

    private void startEmpty() {
        try {
            start();
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    private static Postgres at(Path folder, List<String> settings) {
        int port = Folders.freePort();
        List<String> command = new ArrayList<>(asServerUser());
        command.addAll(List.of(program("postgres"), "-D", data(folder).toString()));
        List<String> all = new ArrayList<>(List.of(
                "listen_addresses=127.0.0.1",
                "port=" + port,
                "unix_socket_directories=",
                "dynamic_shared_memory_type=mmap",
                "shared_buffers=16MB",
                "fsync=off",
                "jit=off"));
        all.addAll(settings);
        all.forEach(setting -> command.addAll(List.of("-c", setting)));
        ServerProcess process = new ServerProcess(command, installation().environment(), folder);
        return new Postgres(folder, process, port, List.copyOf(settings));
    }

    /** A second server that follows this one, asynchronously. */
    public Postgres standby() {
        Path copy = Folders.temporary("postgres");
        giveAway(copy);
        run(
                copy,
                program("pg_basebackup"),
                List.of(
                        "-h",
                        "127.0.0.1",
                        "-p",
                        Integer.toString(port()),
                        "-U",
                        USER,
                        "-D",
                        data(copy).toString(),
                        "--no-sync",
                        "--write-recovery-conf",
                        "--checkpoint=fast",
                        "--wal-method=stream"),
                Map.of("PGPASSWORD", PASSWORD));
        Postgres standby = at(copy, settings);
        standby.startEmpty();
        return standby;
    }

    /** A standby becomes a primary. */
    public void promote() {
        ask("SELECT pg_promote(true, 60)");
    }

    @Override
    public String plainUrl(String database) {
        // The database that initdb makes for everybody is as good as another for tests.
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + (database.equals(DATABASE) ? "postgres" : database);
    }

    /** In order, but without waiting for clients. */
    @Override
    public void stop() {
        end("-INT");
    }

    @Override
    public void close() {
        kill();
        removeSharedMemory();
        Folders.delete(folder);
    }

    /** A server that was killed leaves it to its next start; there is none. */
    private void removeSharedMemory() {
        Path lock = data(folder).resolve("postmaster.pid");
        try {
            if (Files.exists(lock)) {
                String[] segment =
                        Files.readAllLines(lock).get(SHARED_MEMORY_LINE).strip().split("\\s+");
                ServerProcess.runLeniently(List.of("ipcrm", "-m", segment[segment.length - 1]));
            }
        } catch (IOException | IndexOutOfBoundsException neverStarted) {
            return;
        }
    }

    private static void run(Path folder, String program, List<String> arguments, Map<String, String> environment) {
        List<String> command = new ArrayList<>(asServerUser());
        command.add(program);
        command.addAll(arguments);
        Map<String, String> all = new HashMap<>(installation().environment());
        all.putAll(environment);
        ServerProcess.run(command, all, folder, NO_INPUT);
    }

    private static Installation installation() {
        return Installation.of("postgresql");
    }

    private static String program(String name) {
        return installation()
                .newestIn("usr/lib/postgresql")
                .resolve("bin")
                .resolve(name)
                .toString();
    }

    private static Path data(Path folder) {
        return folder.resolve("data");
    }

    private static boolean isRoot() {
        return System.getProperty("user.name", "").equals("root");
    }

    private static String serverUser() {
        return Files.isDirectory(Path.of("/var/lib/postgresql")) ? "postgres" : "nobody";
    }

    /** setpriv becomes the program; runuser would stay in between, and signals would end at it. */
    private static List<String> asServerUser() {
        return isRoot() ? List.of("setpriv", "--reuid=" + serverUser(), "--clear-groups", "--") : List.of();
    }

    private static void giveAway(Path folder) {
        if (isRoot()) {
            ServerProcess.runLeniently(List.of("chown", "-R", serverUser(), folder.toString()));
        }
    }
}
