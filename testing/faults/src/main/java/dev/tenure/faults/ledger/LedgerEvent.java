// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.ledger;

/** What happened at the ledger, in the order in which it happened there. Times are of the ledger's own clock. */
public sealed interface LedgerEvent {
    long nanos();

    String node();

    long token();

    String nonce();

    boolean accepted();

    /** A leader announced its term, before its duty began. */
    record Raise(long nanos, String node, long token, String nonce, boolean accepted) implements LedgerEvent {}

    record Write(long nanos, String node, long token, String nonce, boolean accepted) implements LedgerEvent {}
}
