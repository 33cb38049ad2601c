// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.command;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.Stages;

/** The end of a command that did not do what was asked: one sentence for people, one code for programs. */
public final class CliException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;

    public CliException(int code, String sentence) {
        super(sentence);
        this.code = code;
    }

    public CliException(int code, String sentence, Throwable cause) {
        super(sentence, cause);
        this.code = code;
    }

    public static CliException usage(String sentence) {
        return new CliException(ExitCode.USAGE, sentence);
    }

    /** What any exception means to the user. */
    public static CliException of(Throwable thrown) {
        Throwable root = Stages.rootOf(thrown);
        if (root instanceof CliException failure) {
            return failure;
        }
        if (root instanceof BackendException store) {
            return new CliException(ExitCode.of(store.kind()), sentence(store), store);
        }
        if (root instanceof IllegalArgumentException wrong) {
            return new CliException(ExitCode.USAGE, sentence(wrong), wrong);
        }
        return new CliException(
                ExitCode.INTERNAL, "internal error, please report it (TENURE_DEBUG=1 shows more): " + root, root);
    }

    private static String sentence(Exception thrown) {
        String message = thrown.getMessage();
        return message == null ? thrown.toString() : message;
    }

    /** Can no later attempt do better? The store is not ours, or cannot work with these settings. */
    public boolean isHopeless() {
        return code == ExitCode.CORRUPT || code == ExitCode.USAGE;
    }

    public int code() {
        return code;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
