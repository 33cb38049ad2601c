// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store;

import dev.tenure.spi.BackendException;

/**
 * Failures that a simulated store or client library reports. They are made once: a stack trace for each of millions of
 * failures would cost more than everything else, and nobody reads it.
 */
@SuppressWarnings("StaticAssignmentOfThrowable")
public final class Injected {
    public static final BackendException UNREACHABLE = new BackendException(
            BackendException.Effect.UNKNOWN, BackendException.Kind.UNREACHABLE, "simulated: the connection was lost");
    public static final BackendException REFUSED = new BackendException(
            BackendException.Effect.NONE, BackendException.Kind.UNREACHABLE, "simulated: the store refuses for now");
    static final BackendException READ_ONLY = new BackendException(
            BackendException.Effect.NONE, BackendException.Kind.UNREACHABLE, "simulated: the store is read-only");
    static final Undocumented EXCEPTION = new Undocumented();
    static final Broken ERROR = new Broken();

    private Injected() {}

    /** Was this thrown by the simulator on purpose? */
    public static boolean is(Throwable failure) {
        Throwable cause = failure;
        while (cause != null) {
            if (cause instanceof Undocumented || cause instanceof Broken || cause instanceof BackendException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** What no documentation of the client library mentions. */
    static final class Undocumented extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Undocumented() {
            super("simulated: an exception that nobody documented", null, false, false);
        }
    }

    /** What should never happen, and does. */
    static final class Broken extends Error {
        private static final long serialVersionUID = 1L;

        Broken() {
            super("simulated: an error in the client library", null, false, false);
        }
    }
}
