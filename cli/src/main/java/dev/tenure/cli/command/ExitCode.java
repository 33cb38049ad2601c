// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import dev.tenure.spi.BackendException;

/** The codes that {@code tenure} ends with, beside those of a supervised command. From 64 on they are those of sysexits.h. */
public final class ExitCode {
    public static final int OK = 0;
    /** The answer is no: nobody leads the election that was asked about, or a simulated property did not hold. */
    public static final int NO = 1;
    /** Wrong options, names, durations, URLs, or a store that cannot work with these settings. */
    public static final int USAGE = 64;
    /** The store is corrupt, or somebody else's. */
    public static final int CORRUPT = 65;
    /** The store, or the process that was asked, does not answer in time. */
    public static final int UNAVAILABLE = 69;
    /** A bug in Tenure. */
    public static final int INTERNAL = 70;
    /** Leadership was lost, and {@code --exit-on-loss} says that this is the end. */
    public static final int LOST = 75;
    /** The command was found and cannot be run. */
    public static final int CANNOT_RUN = 126;

    private static final int SIGNALED = 128;

    private ExitCode() {}

    public static int ofSignal(int number) {
        return SIGNALED + number;
    }

    public static int of(BackendException.Kind kind) {
        return switch (kind) {
            case CORRUPT -> CORRUPT;
            case MISCONFIGURED -> USAGE;
            case UNREACHABLE -> UNAVAILABLE;
        };
    }
}
