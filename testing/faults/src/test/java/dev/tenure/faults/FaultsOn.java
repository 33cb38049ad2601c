// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.faults.fault.Faults;
import dev.tenure.faults.fault.InjectedFault;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Every kind of fault once, on one cluster; {@code ./verify} takes the worst of them, {@code ./verify --all} the others too, and
 * {@code testing/faults/run} is the long form. Nothing here asserts a time but that there is an end.
 */
@Tag("server")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
abstract class FaultsOn {
    private static final long SEED = 17;
    /** A leader that stops and goes on, one that is not heard, and the server that matters gone, in the words of each store. */
    private static final Set<String> WORST =
            Set.of("stop-candidate", "cut-from-servers", "kill-store-leader", "promote-lagging", "revoke-unheard");

    private final String name;
    private final Duration ttl;
    private final List<String> violations = new ArrayList<>();
    private StoreUnderTest store;
    private FaultCampaign campaign;

    FaultsOn(String name, Duration ttl) {
        this.name = name;
        this.ttl = ttl;
    }

    abstract StoreUnderTest startStore() throws Exception;

    @BeforeAll
    void start() throws Exception {
        store = startStore();
        campaign = new FaultCampaign(store, Setup.of(ttl, SEED));
    }

    @AfterAll
    void stop() throws Exception {
        if (campaign != null) {
            campaign.close();
            if (violations.isEmpty()) {
                campaign.forgetLogs();
            }
        }
        if (store != null) {
            store.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> one_leads_again_none_with_it_and_no_stale_write_gets_in_after() {
        return each(fault -> WORST.contains(fault.name()));
    }

    @TestFactory
    @Tag("all")
    Stream<DynamicTest> one_leads_again_none_with_it_and_no_stale_write_gets_in_after_every_other_fault() {
        return each(fault -> !WORST.contains(fault.name()));
    }

    private Stream<DynamicTest> each(Predicate<InjectedFault> chosen) {
        return Faults.once(store).stream()
                .filter(chosen)
                .map(fault -> DynamicTest.dynamicTest(fault.name(), () -> survives(fault)));
    }

    private void survives(InjectedFault fault) throws Exception {
        Round round = campaign.run(fault);

        System.out.println("verify: " + name + round);
        violations.addAll(round.violations());
        assertThat(round.violations()).as("logs are in %s", campaign.folder()).isEmpty();
        assertThat(round.measured().writes()).as("accepted writes").isPositive();
    }
}
