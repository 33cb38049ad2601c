package example;

import dev.tenure.spring.LeaderOnly;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** The scheduler of every tutorial. It is called on every instance, and works on the leader alone. */
@Component
public class Sweeper {
    private final Ledger ledger;

    Sweeper(Ledger ledger) {
        this.ledger = ledger;
    }

    @Scheduled(fixedDelayString = "${sweep.millis:500}", initialDelayString = "${sweep.millis:500}")
    @LeaderOnly(value = "billing/sweeper", fencedBy = "invoices")
    public void sweep() {
        ledger.record();
    }
}
