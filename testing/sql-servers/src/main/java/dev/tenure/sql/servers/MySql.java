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
import java.util.Map;

/** A real MySQL. */
public final class MySql extends SqlServer {
    private static final byte[] NO_INPUT = {};

    private final Path folder;

    private MySql(Path folder, ServerProcess process, int port) {
        super(process, port);
        this.folder = folder;
    }

    /** Are its packages here, or can they be fetched? The suite that has them goes on changing. */
    public static boolean canBeHad() {
        try {
            List<String> version = new ArrayList<>(Installation.of("mysql").withItsOwnLoader("usr/sbin/mysqld"));
            version.add("--version");
            return ServerProcess.succeeds(version);
        } catch (IllegalStateException | UncheckedIOException unavailable) {
            return false;
        }
    }

    /** @param options of the server; they come after those of the tests */
    public static MySql running(String... options) {
        Path folder = Folders.temporary("mysql");
        int port = Ports.free();
        initialize(folder);
        List<String> all = new ArrayList<>(List.of(
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--skip-name-resolve",
                "--skip-log-bin",
                "--mysqlx=OFF",
                "--socket=" + folder.resolve("socket"),
                "--innodb-buffer-pool-size=32M",
                "--innodb-flush-log-at-trx-commit=0"));
        all.addAll(List.of(options));
        MySql server = new MySql(folder, new ServerProcess(command(folder, all), Map.of(), folder), port);
        try {
            server.start();
        } catch (RuntimeException failure) {
            server.close();
            throw failure;
        }
        return server;
    }

    private static void initialize(Path folder) {
        Path words = folder.resolve("first-words.sql");
        try {
            Files.writeString(
                    words,
                    "CREATE USER " + USER + "@127.0.0.1 IDENTIFIED BY '" + PASSWORD + "';\n"
                            + "GRANT ALL ON *.* TO " + USER + "@127.0.0.1 WITH GRANT OPTION;\n"
                            + "CREATE DATABASE " + DATABASE + ";\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        List<String> how = List.of("--initialize-insecure", "--init-file=" + words);
        ServerProcess.run(command(folder, how), Map.of(), folder, NO_INPUT);
    }

    private static List<String> command(Path folder, List<String> options) {
        Installation installation = Installation.of("mysql");
        Path share = installation.program("usr/share/mysql");
        List<String> command = new ArrayList<>(installation.withItsOwnLoader("usr/sbin/mysqld"));
        command.addAll(List.of(
                "--no-defaults",
                "--datadir=" + folder.resolve("data"),
                "--tmpdir=" + folder,
                "--pid-file=" + folder.resolve("pid"),
                "--secure-file-priv=NULL",
                "--lc-messages-dir=" + share,
                "--character-sets-dir=" + share.resolve("charsets")));
        if (System.getProperty("user.name", "").equals("root")) {
            command.add("--user=root");
        }
        command.addAll(options);
        return command;
    }

    /** For MySQL's own driver, which who uses this has to have. */
    @Override
    public String plainUrl(String database) {
        return "jdbc:mysql://127.0.0.1:" + port() + "/" + database;
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
