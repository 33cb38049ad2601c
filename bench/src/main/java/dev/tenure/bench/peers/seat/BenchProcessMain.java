// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

import dev.tenure.bench.peers.contender.Kind;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** {@code BenchProcessMain KIND ADDRESS TTL_MILLIS LEDGER_PORT}: takes orders on its input, and ends with it. */
final class BenchProcessMain {
    private static final Logger LOG = System.getLogger("dev.tenure.bench");

    private BenchProcessMain() {}

    public static void main(String[] arguments) throws Exception {
        BenchProcess benchProcess = new BenchProcess(
                Kind.valueOf(arguments[0]),
                arguments[1],
                Duration.ofMillis(Long.parseLong(arguments[2])),
                Integer.parseInt(arguments[3]),
                new BenchProcessOutput(System.out));
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                obey(benchProcess, order.split(" "));
            }
        } catch (Exception failure) {
            LOG.log(Level.ERROR, "the contender failed", failure); // a halt would not print it
        } finally {
            Runtime.getRuntime().halt(0); // the process that gave the orders is gone, or wants us gone
        }
    }

    private static void obey(BenchProcess benchProcess, String[] order) throws Exception {
        int client = Integer.parseInt(order[1]);
        switch (order[0]) {
            case "open" -> benchProcess.open(client);
            case "stand" -> benchProcess.stand(client, order[2]);
            case "leave" -> benchProcess.leave(client, order[2]);
            case "many" -> benchProcess.standInMany(client, order[2], Integer.parseInt(order[3]));
            case "write" -> benchProcess.write(client, order[2]);
            case "close" -> benchProcess.close(client);
            case "cost" -> benchProcess.cost(client);
            default -> throw new IllegalArgumentException(order[0]);
        }
    }
}
