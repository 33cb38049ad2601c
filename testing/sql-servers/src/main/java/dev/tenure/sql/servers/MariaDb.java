// SPDX-License-Identifier: Apache-2.0
package dev.tenure.sql.servers;

import dev.tenure.support.Folders;
import dev.tenure.support.Installation;
import dev.tenure.support.Ports;
import dev.tenure.support.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A real MariaDB. */
public final class MariaDb extends SqlServer {
    private final Path folder;

    private MariaDb(Path folder, ServerProcess process, int port) {
        super(process, port);
        this.folder = folder;
    }

    /** @param options of the server, such as {@code --read-only}; they come after those of the tests */
    public static MariaDb running(String... options) {
        Path folder = Folders.temporary("mariadb");
        int port = Ports.free();
        ServerProcess.run(
                command(folder, List.of("--bootstrap")), installation().environment(), folder, firstWords());
        List<String> all = new ArrayList<>(List.of(
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--skip-name-resolve",
                "--socket=" + folder.resolve("socket"),
                "--innodb-buffer-pool-size=32M",
                "--innodb-flush-log-at-trx-commit=0"));
        all.addAll(List.of(options));
        ServerProcess process =
                new ServerProcess(command(folder, all), installation().environment(), folder);
        MariaDb server = new MariaDb(folder, process, port);
        try {
            server.start();
        } catch (RuntimeException failure) {
            server.close();
            throw failure;
        }
        return server;
    }

    private static List<String> command(Path folder, List<String> options) {
        Path share = share();
        List<String> command = new ArrayList<>(List.of(
                installation().program("usr/sbin/mariadbd").toString(),
                "--no-defaults",
                "--datadir=" + data(folder),
                "--tmpdir=" + folder, // a server that starts deletes the temporary tables that it finds, also of others
                "--lc-messages-dir=" + share,
                "--character-sets-dir=" + share.resolve("charsets"),
                "--plugin-dir=" + folder,
                "--innodb-log-file-size=16M"));
        if (System.getProperty("user.name", "").equals("root")) {
            command.add("--user=root");
        }
        command.addAll(options);
        return command;
    }

    /** What mariadb-install-db would say, and one user. Each statement ends its line: the reader knows no other end. */
    private static byte[] firstWords() {
        StringBuilder words = new StringBuilder("CREATE DATABASE mysql;\nUSE mysql;\n");
        for (String script :
                List.of("mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql")) {
            try {
                words.append(Files.readString(share().resolve(script), StandardCharsets.UTF_8));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
        words.append("FLUSH PRIVILEGES;\n")
                .append("CREATE USER " + USER + "@127.0.0.1 IDENTIFIED BY '" + PASSWORD + "';\n")
                .append("GRANT ALL ON *.* TO " + USER + "@127.0.0.1 WITH GRANT OPTION;\n")
                .append("CREATE DATABASE " + DATABASE + ";\n");
        return words.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Path share() {
        Path mysql = installation().program("usr/share/mysql");
        return Files.isDirectory(mysql) ? mysql : installation().program("usr/share/mariadb");
    }

    private static Path data(Path folder) {
        Path data = folder.resolve("data");
        try {
            return Files.createDirectories(data);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Installation installation() {
        return Installation.of("mariadb");
    }

    @Override
    public String plainUrl(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port() + "/" + database;
    }

    @Override
    public void stop() {
        end("-TERM");
    }

    @Override
    public void close() {
        kill();
        Folders.delete(folder);
    }
}
