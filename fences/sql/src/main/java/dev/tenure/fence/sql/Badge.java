package dev.tenure.fence.sql;

import dev.tenure.Term;

/**
 * A term as a database compares it and as triggers are shown it. Spelt once for a term and not for each of its writes: what
 * stands between two round trips is paid for by every one of them.
 *
 * @param election encoded
 * @param nonce as 32 hex digits
 * @param shown to triggers
 */
record Badge(Term term, String election, long token, String nonce, String shown) {
    static Badge of(Term term) {
        return new Badge(
                term,
                term.election().encoded(),
                term.token().value(),
                term.nonce().toString(),
                Presentation.value(term));
    }
}
