// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** {@code peers STORE [--only handover,…] [--contenders tenure,…] [--rounds N] …}. */
record Settings(String store, List<String> only, List<String> contenders, Map<String, Integer> numbers) {
    private static final String MEASUREMENTS = "handover,kill,crowd,idle,many,pause,start";
    private static final String NUMBERS =
            "--servers 3 --rounds 200 --warm-up 500 --together 1 --kills 10 --handovers 20"
                    + " --candidates 50 --elections 10000 --repeats 3 --patience 120 --pauses 5 --starts 10";

    static final String USAGE =
            "bench/run peers etcd|zookeeper|postgres|advisory|local|redis|consul|kubernetes [--only " + MEASUREMENTS
                    + "] [--contenders tenure,spring,…] [" + NUMBERS + "]";

    static Settings parse(List<String> arguments) {
        if (arguments.isEmpty() || arguments.size() % 2 == 0) {
            throw new IllegalArgumentException("usage: " + USAGE);
        }
        Map<String, Integer> numbers = new TreeMap<>();
        String[] known = NUMBERS.split(" ");
        for (int i = 0; i < known.length; i += 2) {
            numbers.put(known[i], Integer.valueOf(known[i + 1]));
        }
        List<String> only = List.of(MEASUREMENTS.split(","));
        List<String> contenders = List.of();
        for (int i = 1; i < arguments.size(); i += 2) {
            String option = arguments.get(i);
            String value = arguments.get(i + 1);
            if (option.equals("--only")) {
                only = List.of(value.split(","));
            } else if (option.equals("--contenders")) {
                contenders = List.of(value.split(","));
            } else if (numbers.replace(option, Integer.valueOf(value)) == null) {
                throw new IllegalArgumentException("usage: " + USAGE);
            }
        }
        return new Settings(arguments.get(0), only, contenders, numbers);
    }

    /** Those of them that were asked for; all, unless told. */
    List<Kind> among(List<Kind> kinds) {
        return kinds.stream()
                .filter(kind ->
                        contenders.isEmpty() || contenders.contains(kind.name().toLowerCase(Locale.ROOT)))
                .toList();
    }

    int number(String option) {
        return numbers.getOrDefault(option, 0);
    }

    /** For something that thousands of candidates do. */
    Duration timeout() {
        return Duration.ofSeconds(number("--patience"));
    }
}
