/**
 * Verbs that ask a store, or ask it for something: who leads, step down, the era, old records. Each opens a client, makes one
 * call and prints the answer; only {@code watch} stays. Read {@link dev.tenure.cli.elections.StatusCommand} first.
 */
@NullMarked
package dev.tenure.cli.elections;

import org.jspecify.annotations.NullMarked;
