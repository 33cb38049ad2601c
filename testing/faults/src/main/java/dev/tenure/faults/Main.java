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
        Order order;
        try {
            order = Order.of(arguments);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.err.print(Order.USAGE);
            System.exit(BAD_USAGE);
            return;
        }
        System.exit(run(order));
    }

    private static int run(Order order) throws Exception {
        System.out.println(order.command());
        try (StoreUnderTest store = order.store().start()) {
            List<Fault> wanted = Faults.of(store).stream()
                    .filter(fault -> order.fault().map(fault.name()::equals).orElse(true))
                    .toList();
            if (wanted.isEmpty()) {
                System.err.println("no such fault; there are: "
                        + Faults.of(store).stream().map(Fault::name).collect(Collectors.joining(", ")));
                return BAD_USAGE;
            }
            return run(order, store, wanted);
        }
    }

    private static int run(Order order, StoreUnderTest store, List<Fault> wanted) throws Exception {
        Summary summary = new Summary();
        try (Campaign campaign = new Campaign(store, Setup.of(order.ttl(), order.seed()))) {
            for (Fault fault : plan(order, wanted)) {
                Round round = campaign.run(fault);
                System.out.println(round);
                summary.add(round);
                if (!round.isClean()) {
                    System.out.println("logs are in " + campaign.folder() + "; to run it again: " + order.command());
                    return VIOLATION;
                }
            }
            campaign.forgetLogs();
        }
        System.out.println();
        System.out.print(summary);
        return 0;
    }

    /** No number of rounds means each once. */
    private static List<Fault> plan(Order order, List<Fault> wanted) {
        if (order.rounds() == 0) {
            return wanted;
        }
        Random random = new Random(order.seed());
        return Stream.generate(() -> wanted.get(random.nextInt(wanted.size())))
                .limit(order.rounds())
                .toList();
    }
}
