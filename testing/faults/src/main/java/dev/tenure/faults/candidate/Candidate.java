// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.candidate;

import dev.tenure.Leadership;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import java.io.IOException;
import java.time.Duration;

/**
 * Stands in one election and writes to the ledger while it leads. Arguments: URL of the store, port of the ledger, name, TTL
 * in milliseconds, manners.
 *
 * <p>It writes recklessly: it never asks whether it may, listens for its loss only now and then, and does not care when it is
 * refused. What keeps its writes out when it should have stopped is the fence alone. It ends with its input, and so with the campaign.
 */
public final class Candidate {
    public static final String ELECTION = "ledger";

    private static final Duration BETWEEN_WRITES = Duration.ofMillis(1);
    private static final int WRITES_BETWEEN_LOOKS = 10;

    private final LedgerClient ledger;
    private final CandidateMode mode;

    private Candidate(LedgerClient ledger, CandidateMode mode) {
        this.ledger = ledger;
        this.mode = mode;
    }

    public static void main(String[] arguments) throws Exception {
        String node = arguments[2];
        LedgerClient ledger = new LedgerClient(Integer.parseInt(arguments[1]), node);
        ledger.hello();
        Candidate candidate = new Candidate(ledger, CandidateMode.valueOf(arguments[4]));
        Duration ttl = Duration.ofMillis(Long.parseLong(arguments[3]));
        Tenure tenure = Tenure.connect(arguments[0]).node(node).ttl(ttl).open();
        tenure.elect(ELECTION).fencedBy(ledger).perform(candidate::lead);
        ledger.ready();
        awaitEndOfInput();
        Runtime.getRuntime().halt(0);
    }

    private void lead(Leadership leadership) throws Exception {
        BeliefReporter beliefReporter = new BeliefReporter(leadership, ledger, mode);
        beliefReporter.begin();
        try {
            while (!beliefReporter.knowsOfItsLoss()) {
                for (int i = 0; i < WRITES_BETWEEN_LOOKS; i++) {
                    write(leadership, beliefReporter.look());
                    Thread.sleep(BETWEEN_WRITES.toMillis());
                }
            }
        } finally {
            beliefReporter.end();
        }
    }

    private void write(Leadership leadership, long deadlineNanos) throws IOException {
        try {
            ledger.write(leadership.term(), deadlineNanos);
        } catch (StaleTokenException refused) {
            return; // told by the fence, it would stop at once; here its own deadline has to do that
        }
    }

    private static void awaitEndOfInput() throws IOException {
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
    }
}
