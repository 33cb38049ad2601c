// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.seat;

import dev.tenure.Fence;
import dev.tenure.Term;
import dev.tenure.support.LineClient;
import java.io.IOException;

/** The ledger as a leader sees it. Only Tenure raises it. */
final class LedgerLink implements Fence {
    private final int client;
    private final LineClient ledger;

    LedgerLink(int port, int client) throws IOException {
        this.client = client;
        this.ledger = new LineClient(port);
    }

    @Override
    public void raise(Term term) throws IOException {
        ledger.ask("raise " + client + " " + term.token().value() + " 0");
    }

    void begin() throws IOException {
        ledger.ask("begin " + client + " 0 0");
    }

    /** It does not mind being refused: whether it may write is asked elsewhere. */
    void row(long token, long askedNanos) throws IOException {
        ledger.ask("row " + client + " " + token + " " + askedNanos);
    }
}
