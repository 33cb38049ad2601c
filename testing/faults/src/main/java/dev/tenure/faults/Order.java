package dev.tenure.faults;

import dev.tenure.faults.store.EtcdStore;
import dev.tenure.faults.store.LocalStore;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.faults.store.ZooKeeperStore;
import java.time.Duration;
import java.util.Optional;

/** What the command line asks for. */
record Order(String store, int rounds, long seed, Optional<String> fault, Duration ttl) {
    static final String USAGE = """
            Real servers, three candidates as processes, a fenced ledger, and faults from a seed.

              testing/faults/run --store etcd|zookeeper|local [--rounds N] [--seed S] [--fault NAME] [--ttl MILLIS]

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

    static Order of(String[] arguments) {
        Order order = new Order("", ROUNDS, System.currentTimeMillis(), Optional.empty(), TTL);
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            order = order.with(arguments[i], arguments[i + 1]);
        }
        if (arguments.length % 2 == 1) {
            throw new IllegalArgumentException(arguments[arguments.length - 1] + " needs a value");
        }
        if (order.store.isEmpty()) {
            throw new IllegalArgumentException("--store is missing");
        }
        return order;
    }

    private Order with(String option, String value) {
        return switch (option) {
            case "--store" -> new Order(value, rounds, seed, fault, ttl);
            case "--rounds" -> new Order(store, Integer.parseInt(value), seed, fault, ttl);
            case "--seed" -> new Order(store, rounds, Long.parseLong(value), fault, ttl);
            case "--fault" -> new Order(store, rounds, seed, Optional.of(value), ttl);
            case "--ttl" -> new Order(store, rounds, seed, fault, Duration.ofMillis(Long.parseLong(value)));
            default -> throw new IllegalArgumentException("unknown option " + option);
        };
    }

    StoreUnderTest startStore() throws Exception {
        return switch (store) {
            case "etcd" -> EtcdStore.start();
            case "zookeeper" -> ZooKeeperStore.start();
            case "local" -> LocalStore.start();
            default -> throw new IllegalArgumentException("no store is called " + store);
        };
    }

    /** To do it again. */
    String command() {
        return "testing/faults/run --store " + store + " --rounds " + rounds + " --seed " + seed
                + fault.map(name -> " --fault " + name).orElse("") + " --ttl " + ttl.toMillis();
    }
}
