package dev.tenure.faults;

import dev.tenure.faults.fault.Fault;
import dev.tenure.faults.fault.Faults;
import dev.tenure.faults.store.StoreUnderTest;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** {@code testing/faults/run}. */
public final class Main {
    private static final int VIOLATION = 1;
    private static final int BAD_USAGE = 64;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 1 && (arguments[0].equals("--help") || arguments[0].equals("-h"))) {
            System.out.print(Order.USAGE);
            return;
        }
        int code;
        try {
            code = run(Order.of(arguments));
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.err.print(Order.USAGE);
            code = BAD_USAGE;
        }
        System.exit(code);
    }

    private static int run(Order order) throws Exception {
        System.out.println(order.command());
        Summary summary = new Summary();
        try (StoreUnderTest store = order.startStore();
                Campaign campaign = new Campaign(store, Setup.of(order.ttl(), order.seed()))) {
            for (Fault fault : plan(order, store, campaign.random())) {
                Round round = campaign.run(fault);
                System.out.println(round);
                summary.add(round);
                if (!round.isClean()) {
                    System.out.println("logs are in " + campaign.folder() + "; to run it again: " + order.command());
                    return VIOLATION;
                }
            }
            System.out.println();
            System.out.print(summary);
            campaign.forgetLogs();
            return 0;
        }
    }

    private static List<Fault> plan(Order order, StoreUnderTest store, Random random) {
        List<Fault> all = Faults.of(store);
        List<Fault> wanted = order.fault().isEmpty()
                ? all
                : all.stream()
                        .filter(fault -> fault.name().equals(order.fault().get()))
                        .toList();
        if (wanted.isEmpty()) {
            throw new IllegalArgumentException(
                    "no such fault; there are: " + all.stream().map(Fault::name).collect(Collectors.joining(", ")));
        }
        if (order.rounds() == 0) {
            return wanted;
        }
        return Stream.generate(() -> wanted.get(random.nextInt(wanted.size())))
                .limit(order.rounds())
                .toList();
    }
}
