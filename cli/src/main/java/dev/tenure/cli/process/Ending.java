package dev.tenure.cli.process;

import java.util.Locale;

/** Why a child ended. */
public enum Ending {
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

    static Ending reported(String word) {
        return word.equals("exit") ? ITSELF : valueOf(word.toUpperCase(Locale.ROOT));
    }
}
