/**
 * The embedded default: elections among the processes of one machine, in files, without a daemon and without a lock. {@code
 * FileRecords} is the compare-and-set, {@code TokenCeiling} and {@code BootRecovery} keep tokens unique over a power loss, and
 * {@code StateDirectory} refuses places that cannot work. Read {@link dev.tenure.local.LocalStore} first: it answers the calls.
 */
@NullMarked
package dev.tenure.local;

import org.jspecify.annotations.NullMarked;
