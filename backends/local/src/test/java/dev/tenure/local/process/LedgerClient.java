// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local.process;

import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import dev.tenure.support.LineClient;
import java.io.IOException;

/** The ledger as a candidate sees it. */
final class LedgerClient implements Fence {
    private final LineClient ledger;

    LedgerClient(int port) throws IOException {
        ledger = new LineClient(port);
    }

    @Override
    public void raise(Term term) throws Exception {
        check(term, "raise " + term.token() + " " + term.nonce());
    }

    void write(Term term, String node) throws Exception {
        check(term, "write " + term.token() + " " + term.nonce() + " " + node);
    }

    void tell(String node, String text) throws IOException {
        ledger.ask("told " + node + " " + text);
    }

    private void check(Term term, String request) throws Exception {
        String answer = ledger.ask(request);
        if (answer.startsWith("stale ")) {
            throw new StaleTokenException("the ledger", term, FencingToken.parse(answer.substring(6)));
        }
    }
}
