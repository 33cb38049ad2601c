// SPDX-License-Identifier: Apache-2.0
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
        /** The store does not answer; waiting may help. */
        UNREACHABLE,
        /** The store holds something that is not ours or not whole; waiting does not help. */
        CORRUPT,
        /** Wrong settings, rights or place; waiting does not help. */
        MISCONFIGURED
    }

    private final Effect effect;
    private final Kind kind;

    /** The message says what people can do; it must not contain secrets. */
    public BackendException(Effect effect, Kind kind, String message) {
        super(message);
        this.effect = effect;
        this.kind = kind;
    }

    /** With a cause. The message says what people can do; it must not contain secrets. */
    public BackendException(Effect effect, Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.effect = effect;
        this.kind = kind;
    }

    /** Nothing was changed: the store does not answer, or others come in between. */
    public static BackendException unreachable(String message) {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, message);
    }

    /** Nothing was changed: what the store holds is not ours or not whole. */
    public static BackendException corrupt(String message) {
        return new BackendException(Effect.NONE, Kind.CORRUPT, message);
    }

    /** Nothing was changed: wrong settings, rights or place. */
    public static BackendException misconfigured(String message) {
        return new BackendException(Effect.NONE, Kind.MISCONFIGURED, message);
    }

    /** The store did not say what has become of the call. */
    public static BackendException unknown(String message) {
        return new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, message);
    }

    /** The same, with what was seen of it here. */
    public static BackendException unknown(String message, @Nullable Throwable cause) {
        return new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, message, cause);
    }

    /** What the call may have done. */
    public Effect effect() {
        return effect;
    }

    /** What kind of trouble it is. */
    public Kind kind() {
        return kind;
    }
}
