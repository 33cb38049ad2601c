// SPDX-License-Identifier: Apache-2.0
package dev.tenure.sql.servers;

import dev.tenure.support.Folders;
import dev.tenure.support.Installation;
import dev.tenure.support.Ports;
import dev.tenure.support.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A real PgBouncer in front of a PostgreSQL. */
public final class PgBouncer extends SqlServer {
    /** When a client gives a connection to the server back. */
    public enum Pooling {
        /** When it leaves. */
        SESSION,
        /** After each transaction. */
        TRANSACTION
    }

    private final Path folder;

    private PgBouncer(Path folder, ServerProcess process, int port) {
        super(process, port);
        this.folder = folder;
    }

    /** @param connections how many to the server it keeps, for all clients together */
    public static PgBouncer before(Postgres server, Pooling pooling, int connections) {
        Path folder = Folders.temporary("pgbouncer");
        int port = Ports.free();
        Path users = folder.resolve("users");
        Path settings = folder.resolve("settings");
        try {
            Files.writeString(users, "\"" + USER + "\" \"" + PASSWORD + "\"\n");
            Files.writeString(settings, settings(server, pooling, connections, port, users));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        ServerUser.own(folder);
        Installation installation = Installation.of("pgbouncer");
        List<String> command = new ArrayList<>(ServerUser.prefix());
        command.add(installation.program("usr/sbin/pgbouncer").toString());
        command.add(settings.toString());
        PgBouncer bouncer = new PgBouncer(folder, new ServerProcess(command, installation.environment(), folder), port);
        try {
            bouncer.start();
        } catch (RuntimeException failure) {
            bouncer.close();
            throw failure;
        }
        return bouncer;
    }

    /** The driver of Java sends extra_float_digits with each connection, and PgBouncer would refuse it for that. */
    private static String settings(Postgres server, Pooling pooling, int connections, int port, Path users) {
        return String.join(
                "\n",
                "[databases]",
                "* = host=127.0.0.1 port=" + server.port(),
                "[pgbouncer]",
                "listen_addr = 127.0.0.1",
                "listen_port = " + port,
                "unix_socket_dir =",
                "auth_type = scram-sha-256",
                "auth_file = " + users,
                "ignore_startup_parameters = extra_float_digits",
                "pool_mode = " + pooling.name().toLowerCase(Locale.ROOT),
                "default_pool_size = " + connections,
                "");
    }

    @Override
    public String plainUrl(String database) {
        return Postgres.plainUrl(port(), database);
    }

    @Override
    public void stop() {
        end("-INT");
    }

    @Override
    public void close() {
        kill();
        Folders.delete(folder);
    }
}
