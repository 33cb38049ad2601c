// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import java.util.Locale;

/**
 * How a child ended, once its whole tree is dead.
 *
 * @param code the command's, 128 + n for a signal, 126 or 127 for a command that cannot be run or found, 75 if too late
 * @param notStarted why not one instruction of the command was executed; empty if one was
 */
public record Exit(int code, EndReason ending, String notStarted) {
    private static final int SIGNALED = 128;

    static Exit exited(int code, EndReason ending) {
        return new Exit(code, ending, "");
    }

    static Exit signaled(int signal, EndReason ending) {
        return new Exit(SIGNALED + signal, ending, "");
    }

    /** Why a child ended. */
    public enum EndReason {
        /** On its own account, or by a signal that somebody else (or {@link ChildProcess#signal}) sent. */
        ITSELF,
        /** The term was over: the guardian ended it. */
        DEADLINE,
        /** {@link ChildProcess#stop} was called. */
        ORDER,
        /** The guardian was closed, or lost its supervisor. */
        CLOSED,
        /** The guardian died; the kernel killed the child with it. */
        GUARDIAN_DIED;

        static EndReason reported(String word) {
            return word.equals("exit") ? ITSELF : valueOf(word.toUpperCase(Locale.ROOT));
        }
    }
}
