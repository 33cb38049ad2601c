// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench;

import dev.tenure.bench.compared.Compared;
import dev.tenure.bench.crash.PeersCrash;
import dev.tenure.bench.fence.FenceCost;
import dev.tenure.bench.fence.FenceParts;
import dev.tenure.bench.peers.Peers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** {@code bench/run table [STORE…] | peers STORE … | command [N] | validity | fence [SECONDS] | fence-parts [N] | peers-crash [N] | compared …}. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        String what = arguments.length > 0 ? arguments[0] : "";
        Path directory = Files.createTempDirectory("tenure-bench");
        try {
            switch (what) {
                case "table" -> {
                    Peers.measureAll(List.of(arguments).subList(1, arguments.length), System.out);
                    CommandStart.measure(directory, 10, System.out);
                }
                case "command" -> CommandStart.measure(directory, number(arguments, 10), System.out);
                case "validity" -> ValidityCost.measure(directory, System.out);
                case "peers-crash" -> PeersCrash.measure(directory, number(arguments, 100), System.out);
                case "fence" -> FenceCost.measure(number(arguments, 40), System.out);
                case "fence-parts" -> FenceParts.measure(number(arguments, 4000), System.out);
                case "peers" -> Peers.measure(List.of(arguments).subList(1, arguments.length), System.out);
                case "compared" -> Compared.measure(List.of(arguments).subList(1, arguments.length), System.out);
                default -> {
                    System.err.println("usage: bench/run table [STORE…] | peers STORE … | command [N] | validity"
                            + " | fence [SECONDS] | fence-parts [N] | peers-crash [N] | compared …");
                    System.exit(64);
                }
            }
        } finally {
            remove(directory);
        }
    }

    private static int number(String[] arguments, int otherwise) {
        return arguments.length > 1 ? Integer.parseInt(arguments[1]) : otherwise;
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
