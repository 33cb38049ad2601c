// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli;

import dev.tenure.cli.command.Console;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The command in this JVM: for all that neither forks nor waits for signals. */
record InProcess(int code, String out, String err) {
    static InProcess run(String... words) {
        return run(Map.of(), words);
    }

    static InProcess run(Map<String, String> environment, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                environment,
                false);
        int code = new Main(console).run(List.of(words));
        return new InProcess(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
