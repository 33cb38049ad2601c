package example;

import dev.tenure.Term;
import dev.tenure.spring.FencedTransactional;
import dev.tenure.spring.Leaderships;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** What the leader writes. A leader that was paused, and does not know yet that it has lost, is refused by the database. */
@Component
public class Ledger {
    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @FencedTransactional("invoices")
    public void record() {
        Term term = Leaderships.current().term();
        jdbc.update("INSERT INTO invoice_run (node, token) VALUES (?, ?)", term.holder(), term.token().value());
    }

    public long runs() {
        return count("SELECT COUNT(*) FROM invoice_run");
    }

    public long staleRuns() {
        return count("SELECT COUNT(*) FROM invoice_run late WHERE EXISTS"
                + " (SELECT 1 FROM invoice_run early WHERE early.id < late.id AND early.token > late.token)");
    }

    private long count(String query) {
        Long count = jdbc.queryForObject(query, Long.class);
        return count == null ? 0 : count;
    }
}
