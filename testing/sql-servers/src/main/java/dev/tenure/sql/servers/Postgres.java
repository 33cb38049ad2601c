// SPDX-License-Identifier: Apache-2.0
package dev.tenure.sql.servers;

import dev.tenure.support.Certificates;
import dev.tenure.support.Folders;
import dev.tenure.support.Installation;
import dev.tenure.support.Ports;
import dev.tenure.support.ServerProcess;
import dev.tenure.support.TcpLink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A real PostgreSQL. */
public final class Postgres extends SqlServer {
    private static final byte[] NO_INPUT = {};
    /** The line of {@code postmaster.pid} that names the segment of shared memory: its key and its id. */
    private static final int SHARED_MEMORY_LINE = 6;

    private final Path folder;
    private final Plan plan;

    /** What a server is like, apart from its data. */
    private record Plan(int port, List<String> settings, Optional<ServerClock> clock) {}

    private Postgres(Path folder, ServerProcess process, Plan plan) {
        super(process, plan.port);
        this.folder = folder;
        this.plan = plan;
    }

    /**
     * @param settings as in {@code postgresql.conf}, such as {@code fsync=on}; without any, nothing is written through to the
     *     disk, because a test does not outlive a crash of the machine
     */
    public static Postgres running(String... settings) {
        Path folder = initialized();
        return started(folder, new Plan(Ports.free(), List.of(settings), Optional.empty()));
    }

    /** Its clock can be moved; and so can those of its standbys, each by itself. */
    public static Postgres onItsOwnClock(String... settings) {
        Path folder = initialized();
        return started(folder, new Plan(Ports.free(), List.of(settings), Optional.of(ServerClock.in(folder))));
    }

    /**
     * With TLS.
     *
     * @param certificate the name of its own, such as {@code server}
     * @param admits lines of {@code pg_hba.conf}, before the one that lets the user of the tests in
     */
    public static Postgres withTls(Certificates certificates, String certificate, String... admits) {
        Path folder = initialized();
        List<String> rules = new ArrayList<>(List.of(admits));
        rules.add("host all " + USER + " 127.0.0.1/32 scram-sha-256\n");
        try {
            Files.writeString(folder.resolve("admits"), String.join("\n", rules));
            Files.copy(certificates.file("ca.pem"), folder.resolve("ca.pem"));
            Files.copy(certificates.file(certificate + ".pem"), folder.resolve("own.pem"));
            Files.copy(certificates.file(certificate + ".key"), folder.resolve("own.key"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        ServerUser.own(folder);
        List<String> settings = List.of(
                "hba_file=" + folder.resolve("admits"),
                "ssl=on",
                "ssl_ca_file=" + folder.resolve("ca.pem"),
                "ssl_cert_file=" + folder.resolve("own.pem"),
                "ssl_key_file=" + folder.resolve("own.key"));
        return started(folder, new Plan(Ports.free(), settings, Optional.empty()));
    }

    private static Path initialized() {
        Path folder = Folders.temporary("postgres");
        Path password = folder.resolve("password");
        try {
            Files.writeString(password, PASSWORD);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        ServerUser.own(folder);
        List<String> how = new ArrayList<>(List.of("-D", data(folder).toString(), "--no-sync", "-U", USER));
        how.addAll(List.of("-E", "UTF8", "--locale=C", "--auth=scram-sha-256", "--pwfile=" + password));
        run(folder, "initdb", how);
        return folder;
    }

    private static Postgres started(Path folder, Plan plan) {
        List<String> command = new ArrayList<>(ServerUser.prefix());
        plan.clock.ifPresent(clock -> command.addAll(clock.prefix()));
        command.addAll(List.of(program("postgres"), "-D", data(folder).toString()));
        List<String> all = new ArrayList<>(List.of(
                "listen_addresses=127.0.0.1",
                "port=" + plan.port,
                "unix_socket_directories=",
                "dynamic_shared_memory_type=mmap",
                "shared_buffers=16MB",
                "fsync=off",
                "jit=off"));
        all.addAll(plan.settings);
        all.forEach(setting -> command.addAll(List.of("-c", setting)));
        Postgres server =
                new Postgres(folder, new ServerProcess(command, installation().environment(), folder), plan);
        try {
            server.start();
        } catch (RuntimeException failure) {
            server.close();
            throw failure;
        }
        return server;
    }

    /** A second server that follows this one, asynchronously. */
    public Postgres standby() {
        return standbyThrough(port(), Ports.free());
    }

    /** One that can be kept from following, by cutting the way. */
    public Postgres standbyThrough(TcpLink link) {
        return standbyThrough(link.port(), Ports.free());
    }

    /** @param at where the new one listens, such as the port of a server that it replaces */
    public Postgres standbyThrough(TcpLink link, int at) {
        return standbyThrough(link.port(), at);
    }

    private Postgres standbyThrough(int source, int at) {
        Path copy = Folders.temporary("postgres");
        ServerUser.own(copy);
        List<String> how = new ArrayList<>(List.of("-h", "127.0.0.1", "-p", Integer.toString(source), "-U", USER));
        how.addAll(List.of("-D", data(copy).toString(), "--no-sync", "--write-recovery-conf"));
        how.addAll(List.of("--checkpoint=fast", "--wal-method=stream"));
        run(copy, "pg_basebackup", how);
        Optional<ServerClock> clock = plan.clock.map(own -> ServerClock.in(copy));
        return started(copy, new Plan(at, plan.settings, clock));
    }

    /** Every commit waits until a standby has it; returns when there is one. */
    public void waitForStandbys() {
        execute("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
        await("a synchronous standby", "SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'");
    }

    /** Returns when the standbys have all that was committed here before. */
    public void awaitReplicated() {
        String position = ask("SELECT pg_current_wal_lsn()");
        await(
                "standbys that follow",
                "SELECT count(*) > 0 AND bool_and(replay_lsn >= '" + position + "') FROM pg_stat_replication");
    }

    /** A standby becomes a primary. */
    public void promote() {
        ask("SELECT pg_promote(true, 60)");
    }

    public ServerClock clock() {
        return plan.clock.orElseThrow(() -> new IllegalStateException("it has the machine's clock"));
    }

    /** What pg_dump writes of this table. */
    public Path dump(String table) {
        Path file = folder.resolve(table + ".dump");
        run(folder, "pg_dump", asClient("--clean", "--if-exists", "-t", table, "-f", file.toString(), "postgres"));
        return file;
    }

    /** The table is again as it was then. */
    public void restore(Path dump) {
        run(folder, "psql", asClient("-q", "-v", "ON_ERROR_STOP=1", "-f", dump.toString(), "postgres"));
    }

    private List<String> asClient(String... arguments) {
        List<String> all = new ArrayList<>(List.of("-h", "127.0.0.1", "-p", Integer.toString(port()), "-U", USER));
        all.addAll(List.of(arguments));
        return all;
    }

    @Override
    public String plainUrl(String database) {
        return plainUrl(port(), database);
    }

    /** The database that initdb makes for everybody is as good as another for tests. */
    static String plainUrl(int port, String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + (database.equals(DATABASE) ? "postgres" : database);
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

    private static void run(Path folder, String program, List<String> arguments) {
        List<String> command = new ArrayList<>(ServerUser.prefix());
        command.add(program(program));
        command.addAll(arguments);
        Map<String, String> environment = new HashMap<>(installation().environment());
        environment.put("PGPASSWORD", PASSWORD);
        ServerProcess.run(command, environment, folder, NO_INPUT);
    }

    /** The variables by which a command finds {@code psql} and the other clients. */
    public static Map<String, String> forClients() {
        Map<String, String> environment = new HashMap<>(installation().environment());
        environment.put("PATH", Path.of(program("psql")).getParent() + ":" + System.getenv("PATH"));
        return environment;
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
}
