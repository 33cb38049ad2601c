// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Prometheus' own checker. A machine that has none, and no Debian mirror, fails the test. */
final class Promtool {
    private Promtool() {}

    /** Runs it in this folder with this input, and fails with what it says unless it is content. */
    static String run(Path folder, String input, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(path()));
        command.addAll(List.of(arguments));
        return run(folder, input.getBytes(StandardCharsets.UTF_8), command);
    }

    private static String path() throws IOException, InterruptedException {
        try (InputStream script = Objects.requireNonNull(Promtool.class.getResourceAsStream("fetch-promtool"))) {
            List<String> lines = run(Path.of("."), script.readAllBytes(), List.of("sh", "-s"))
                    .lines()
                    .toList();
            return lines.get(lines.size() - 1);
        }
    }

    private static String run(Path folder, byte[] input, List<String> command)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(input);
        }
        String printed;
        try (InputStream out = process.getInputStream()) {
            printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(process.waitFor()).as(command + " says: " + printed).isZero();
        return printed;
    }
}
