// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What a seat says, in whole lines. */
final class BenchProcessOutput {
    private final PrintStream out;

    BenchProcessOutput(PrintStream out) {
        this.out = out;
    }

    synchronized void print(String event, int client, long... numbers) {
        String rest = Arrays.stream(numbers).mapToObj(number -> " " + number).collect(Collectors.joining());
        out.print(event + " " + client + rest + "\n");
        out.flush();
    }
}
