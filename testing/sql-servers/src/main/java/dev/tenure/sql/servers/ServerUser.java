// SPDX-License-Identifier: Apache-2.0
package dev.tenure.sql.servers;

import dev.tenure.support.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** As whom a server runs that refuses to run as root: as another user if the tests do, else as the tests. */
final class ServerUser {
    private ServerUser() {}

    /** What is put before a command. setpriv becomes the program; runuser would stay in between, and signals would end at it. */
    static List<String> prefix() {
        return isRoot() ? List.of("setpriv", "--reuid=" + name(), "--clear-groups", "--") : List.of();
    }

    /** Gives it all that is in this folder now. */
    static void own(Path folder) {
        if (isRoot()) {
            ServerProcess.runLeniently(List.of("chown", "-R", name(), folder.toString()));
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name", "").equals("root");
    }

    private static String name() {
        return Files.isDirectory(Path.of("/var/lib/postgresql")) ? "postgres" : "nobody";
    }
}
