package dev.tenure.cli.command;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.Stages;

/** The end of a command that did not do what was asked: one sentence for people, one code for programs. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;

    public Failure(int code, String sentence) {
        super(sentence);
        this.code = code;
    }

    public Failure(int code, String sentence, Throwable cause) {
        super(sentence, cause);
        this.code = code;
    }

    public static Failure usage(String sentence) {
        return new Failure(ExitCode.USAGE, sentence);
    }

    /** What any exception means to the user. */
    public static Failure of(Throwable thrown) {
        Throwable root = Stages.rootOf(thrown);
        if (root instanceof Failure failure) {
            return failure;
        }
        if (root instanceof BackendException store) {
            return new Failure(ExitCode.of(store.kind()), sentence(store), store);
        }
        if (root instanceof IllegalArgumentException wrong) {
            return new Failure(ExitCode.USAGE, sentence(wrong), wrong);
        }
        return new Failure(
                ExitCode.INTERNAL, "internal error, please report it (TENURE_DEBUG=1 shows more): " + root, root);
    }

    private static String sentence(Exception thrown) {
        String message = thrown.getMessage();
        return message == null ? thrown.toString() : message;
    }

    public int code() {
        return code;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
