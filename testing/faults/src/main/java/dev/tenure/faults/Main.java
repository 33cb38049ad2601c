// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import dev.tenure.faults.fault.Faults;
import dev.tenure.faults.fault.InjectedFault;
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
            System.out.print(FaultOptions.USAGE);
            return;
        }
        FaultOptions options;
        try {
            options = FaultOptions.of(arguments);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.err.print(FaultOptions.USAGE);
            System.exit(BAD_USAGE);
            return;
        }
        System.exit(run(options));
    }

    private static int run(FaultOptions options) throws Exception {
        System.out.println(options.command());
        try (StoreUnderTest store = options.store().start()) {
            List<InjectedFault> wanted = Faults.of(store).stream()
                    .filter(fault -> options.fault().map(fault.name()::equals).orElse(true))
                    .toList();
            if (wanted.isEmpty()) {
                System.err.println("no such fault; there are: "
                        + Faults.of(store).stream().map(InjectedFault::name).collect(Collectors.joining(", ")));
                return BAD_USAGE;
            }
            return run(options, store, wanted);
        }
    }

    private static int run(FaultOptions options, StoreUnderTest store, List<InjectedFault> wanted) throws Exception {
        Summary summary = new Summary();
        try (FaultCampaign campaign = new FaultCampaign(store, Setup.of(options.ttl(), options.seed()))) {
            for (InjectedFault fault : plan(options, wanted)) {
                Round round = campaign.run(fault);
                System.out.println(round);
                summary.add(round);
                if (!round.isClean()) {
                    System.out.println("logs are in " + campaign.folder() + "; to run it again: " + options.command());
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
    private static List<InjectedFault> plan(FaultOptions options, List<InjectedFault> wanted) {
        if (options.rounds() == 0) {
            return wanted;
        }
        Random random = new Random(options.seed());
        return Stream.generate(() -> wanted.get(random.nextInt(wanted.size())))
                .limit(options.rounds())
                .toList();
    }
}
