// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

import dev.tenure.Term;
import org.jspecify.annotations.Nullable;

/** S6, under every fault: tokens of accepted writes never decrease, and equal tokens have equal nonces. */
final class S6Fence extends Checker {
    private final @Nullable Term[] newest;

    S6Fence(GroundTruth truth) {
        super("S6", truth);
        this.newest = new Term[truth.elections()];
    }

    @Override
    void written(int election, Term term, boolean accepted) {
        Term before = newest[election];
        if (!accepted) {
            return;
        }
        if (before != null && term.token().compareTo(before.token()) < 0) {
            violated("e" + election + ": a write of token " + term.token() + " was accepted after one of "
                    + before.token());
        }
        if (before != null
                && term.token().equals(before.token())
                && !term.nonce().equals(before.nonce())) {
            violated("e" + election + ": writes of two holders of token " + term.token() + " were accepted");
        }
        newest[election] = term;
    }
}
