// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;

/** Terms of one election; the nonce goes with the token. */
final class Terms {
    static final ElectionName ELECTION = ElectionName.of("ledger/close-day");

    private Terms() {}

    static Term of(long token) {
        return of(token, token);
    }

    static Term of(long token, long nonce) {
        return new Term(ELECTION, new FencingToken(token), new Nonce(7, nonce), "holder-" + token);
    }
}
