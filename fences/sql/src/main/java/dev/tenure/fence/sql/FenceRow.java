package dev.tenure.fence.sql;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;

/**
 * What a fence has seen.
 *
 * @param election encoded; the fence belongs to it
 * @param store the random id of the store that elects, or nothing if nobody named it
 * @param token zero where a fence was installed and never raised
 * @param nonce of the term that raised it, as 32 hex digits
 */
record FenceRow(String resource, String election, String store, long token, String nonce) {
    /** How a term stands to the fence. One that is older is not a case: it is refused. */
    enum Verdict {
        CURRENT,
        NEWER
    }

    /**
     * The one comparison that everything rests on: newer, or the very same term.
     *
     * @param storeId of the store that elected the term, or nothing
     */
    Verdict judge(Term term, String storeId) throws StaleTokenException {
        if (!election.equals(term.election().encoded())) {
            throw new IllegalArgumentException(resource + " is fenced for election " + shown(election)
                    + "; tokens of election " + term.election() + " do not compare with its own");
        }
        if (!store.isEmpty() && !storeId.isEmpty() && !store.equals(storeId)) {
            throw new IllegalArgumentException(resource + " is fenced for election " + shown(election) + " in store "
                    + store + "; tokens of store " + storeId + " do not compare with its own");
        }
        if (term.token().value() > token) {
            return Verdict.NEWER;
        }
        if (term.token().value() == token && term.nonce().toString().equals(nonce)) {
            return Verdict.CURRENT;
        }
        throw new StaleTokenException(resource, term, new FencingToken(token));
    }

    static String shown(String encoded) {
        try {
            return ElectionName.decode(encoded).value();
        } catch (IllegalArgumentException foreign) {
            return encoded;
        }
    }
}
