package dev.tenure.bench.peers;

import dev.tenure.bench.peers.contender.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** {@code peers etcd|zookeeper|postgres [--only handover,many,crowd,pause] [--rounds N] [--elections N] [--repeats N] …}. */
record Settings(String store, List<String> only, List<String> contenders, Map<String, Integer> numbers) {
    static final String USAGE = "bench/run peers etcd|zookeeper|postgres [--only handover,many,crowd,pause]"
            + " [--contenders tenure,spring,…] [--rounds 200] [--warm-up 500]"
            + " [--elections 10000] [--repeats 3] [--candidates 50] [--handovers 40] [--pauses 5]";

    static Settings parse(List<String> arguments) {
        if (arguments.isEmpty() || arguments.size() % 2 == 0) {
            throw new IllegalArgumentException("usage: " + USAGE);
        }
        Map<String, Integer> numbers = new TreeMap<>(Map.of(
                "--rounds",
                200,
                "--warm-up",
                500,
                "--elections",
                10_000,
                "--repeats",
                3,
                "--candidates",
                50,
                "--handovers",
                40,
                "--pauses",
                5));
        List<String> only = List.of("handover", "many", "crowd", "pause");
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
}
