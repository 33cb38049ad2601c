package dev.tenure.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.faults.fault.Fault;
import dev.tenure.faults.fault.Faults;
import dev.tenure.faults.store.StoreUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * The short form: every kind of fault once, on one cluster. {@code testing/faults/run} is the long one. Nothing here asserts
 * a time but that there is an end.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
abstract class FaultsOn {
    private static final long SEED = 17;

    private final String name;
    private final Duration ttl;
    private final List<String> violations = new ArrayList<>();
    private StoreUnderTest store;
    private Campaign campaign;

    FaultsOn(String name, Duration ttl) {
        this.name = name;
        this.ttl = ttl;
    }

    abstract StoreUnderTest startStore() throws Exception;

    @BeforeAll
    void start() throws Exception {
        store = startStore();
        campaign = new Campaign(store, Setup.of(ttl, SEED));
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
        return Faults.once(store).stream().map(fault -> DynamicTest.dynamicTest(fault.name(), () -> survives(fault)));
    }

    private void survives(Fault fault) throws Exception {
        Round round = campaign.run(fault);

        System.out.println("verify: " + name + round);
        violations.addAll(round.violations());
        assertThat(round.violations()).as("logs are in %s", campaign.folder()).isEmpty();
        assertThat(round.writes()).as("accepted writes").isPositive();
    }
}
