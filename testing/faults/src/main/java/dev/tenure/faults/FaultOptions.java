// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.store.StoreName;
import java.time.Duration;
import java.util.Optional;

/** What the command line asks for. */
record FaultOptions(StoreName store, int rounds, long seed, Optional<String> fault, Duration ttl) {
    static final String USAGE = """
            Real servers, three candidates as processes, a fenced ledger, and faults from a seed.

              testing/faults/run --store etcd|zookeeper|postgres|postgres-advisory|mariadb|consul|kubernetes|redis|local [--rounds N] [--seed S] [--fault NAME] [--ttl MILLIS]

              --store    what is put to the test; its servers are started here, on free ports
              --rounds   faults, one after the other (30); 0 runs each there is, once
              --seed     which faults, and how (the clock's, printed)
              --fault    only this one; an unknown name prints those there are
              --ttl      of the candidates, in milliseconds (3000)

            Each round prints a line; the end is a table. Exit code 1: a stale write was accepted, two believed in their
            leadership at once without excuse, or nobody led again in time. 64: the command line is wrong.
            """;

    private static final int ROUNDS = 30;
    private static final Duration TTL = Duration.ofSeconds(3);

    static FaultOptions of(String[] arguments) {
        if (arguments.length < 2 || !arguments[0].equals("--store")) {
            throw new IllegalArgumentException("--store comes first");
        }
        if (arguments.length % 2 == 1) {
            throw new IllegalArgumentException(arguments[arguments.length - 1] + " needs a value");
        }
        StoreName store = StoreName.of(arguments[1]);
        FaultOptions options = new FaultOptions(store, ROUNDS, System.currentTimeMillis(), Optional.empty(), TTL);
        for (int i = 2; i < arguments.length; i += 2) {
            options = options.with(arguments[i], arguments[i + 1]);
        }
        return options;
    }

    private FaultOptions with(String option, String value) {
        return switch (option) {
            case "--rounds" -> new FaultOptions(store, Integer.parseInt(value), seed, fault, ttl);
            case "--seed" -> new FaultOptions(store, rounds, Long.parseLong(value), fault, ttl);
            case "--fault" -> new FaultOptions(store, rounds, seed, Optional.of(value), ttl);
            case "--ttl" -> new FaultOptions(store, rounds, seed, fault, Duration.ofMillis(Long.parseLong(value)));
            default -> throw new IllegalArgumentException("unknown option " + option);
        };
    }

    /** To do it again. */
    String command() {
        return "testing/faults/run --store " + store + " --rounds " + rounds + " --seed " + seed
                + fault.map(name -> " --fault " + name).orElse("") + " --ttl " + ttl.toMillis();
    }
}
