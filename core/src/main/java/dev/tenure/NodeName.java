// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import dev.tenure.spi.Host;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** What operators call a process: shown, never used for safety. */
final class NodeName {
    private static final int BYTES_MAX = 200;
    private static final Path KERNEL_HOSTNAME = Path.of("/proc/sys/kernel/hostname");

    private NodeName() {}

    /** Host, process id and a random part, so that two processes never share it. */
    static String ofThisProcess(Host host) {
        return hostName() + "-" + ProcessHandle.current().pid() + "-"
                + HexFormat.of().toHexDigits((int) host.random());
    }

    static String check(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (name.isBlank()
                || bytes > BYTES_MAX
                || !Text.isWellFormed(name)
                || name.codePoints().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("'" + Text.printable(name, 40) + "' cannot be a node id: 1 to "
                    + BYTES_MAX + " bytes of UTF-8, not blank, without control characters");
        }
        return name;
    }

    // The kernel knows its name at once; a resolver may take seconds to say that it does not know.
    private static String hostName() {
        try {
            return Files.exists(KERNEL_HOSTNAME)
                    ? Files.readString(KERNEL_HOSTNAME).strip()
                    : InetAddress.getLocalHost().getHostName();
        } catch (IOException unnamed) {
            return "localhost";
        }
    }
}
