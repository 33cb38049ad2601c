// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.candidate;

import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.support.LineClient;
import java.io.IOException;

/** The ledger as a candidate sees it. Its link is never cut: the fence has to stand by itself. */
final class LedgerClient implements Fence {
    private final String node;
    private final LineClient ledger;

    LedgerClient(int port, String node) throws IOException {
        this.node = node;
        this.ledger = new LineClient(port);
    }

    void hello() throws IOException {
        ledger.ask("hello " + node + " " + System.nanoTime());
    }

    void ready() throws IOException {
        ledger.ask("ready " + node);
    }

    void begin(Term term, long nanos, long deadlineNanos) throws IOException {
        ledger.ask("begin " + node + " " + term.token() + " " + nanos + " " + deadlineNanos);
    }

    void renewed(Term term, long deadlineNanos) throws IOException {
        ledger.ask("renewed " + node + " " + term.token() + " " + deadlineNanos);
    }

    void end(Term term, long nanos) throws IOException {
        ledger.ask("end " + node + " " + term.token() + " " + nanos);
    }

    @Override
    public void raise(Term term) throws Exception {
        check(term, ledger.ask("raise " + node + " " + term.token() + " " + term.nonce()));
    }

    /** @param deadlineNanos of the belief with which it is written; 0 if there is none any more */
    void write(Term term, long deadlineNanos) throws IOException, StaleTokenException {
        check(term, ledger.ask("write " + node + " " + term.token() + " " + term.nonce() + " " + deadlineNanos));
    }

    private static void check(Term term, String answer) throws StaleTokenException {
        if (answer.startsWith("stale ")) {
            throw new StaleTokenException("the ledger", term, FencingToken.parse(answer.substring("stale ".length())));
        }
    }
}
