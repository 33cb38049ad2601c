package example;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class RunsController {
    private final Ledger ledger;

    RunsController(Ledger ledger) {
        this.ledger = ledger;
    }

    /** How many rows have an older token than a row before them: none, as long as the fence stands. */
    @GetMapping(path = "/runs/stale", produces = "text/plain")
    String stale() {
        return Long.toString(ledger.staleRuns());
    }
}
