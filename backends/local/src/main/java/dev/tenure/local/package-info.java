/**
 * The embedded default: elections among the processes of one machine, in files, without a daemon and without a lock.
 *
 * <p>{@link dev.tenure.local.LocalStore} answers calls, {@code Records} is the compare-and-set, {@code Ceiling} and
 * {@code BootRecovery} keep tokens unique over a power loss, {@code StateDirectory} refuses places that cannot work.
 */
@NullMarked
package dev.tenure.local;

import org.jspecify.annotations.NullMarked;
