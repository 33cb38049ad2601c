package dev.tenure.spi;

import org.jspecify.annotations.Nullable;

/** A store call that did not give an answer. The message is for people and says what they can do. */
public class BackendException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the call may have done. */
    public enum Effect {
        /** Nothing was changed, and nothing will be. */
        NONE,
        /** It may have been applied, or may still be. */
        UNKNOWN
    }

    /** What kind of trouble it is, for exit codes and for deciding whether waiting can help. */
    public enum Kind {
        UNREACHABLE,
        /** The store holds something that is not ours or not whole; waiting does not help. */
        CORRUPT,
        /** Wrong settings, rights or place; waiting does not help. */
        MISCONFIGURED
    }

    private final Effect effect;
    private final Kind kind;

    public BackendException(Effect effect, Kind kind, String message) {
        super(message);
        this.effect = effect;
        this.kind = kind;
    }

    public BackendException(Effect effect, Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.effect = effect;
        this.kind = kind;
    }

    public Effect effect() {
        return effect;
    }

    public Kind kind() {
        return kind;
    }
}
