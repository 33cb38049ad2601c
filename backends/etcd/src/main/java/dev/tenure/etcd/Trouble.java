package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Ended;
import dev.tenure.etcd.grpc.NoAnswer;
import dev.tenure.etcd.grpc.NotGrpc;
import dev.tenure.etcd.grpc.NotProcessed;
import dev.tenure.etcd.grpc.Unreachable;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.Stages;
import dev.tenure.wire.EndedEarly;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** What went wrong, in a sentence for people, and what the call may have done all the same. */
final class Trouble extends BackendException {
    private static final long serialVersionUID = 1L;
    private static final int CANCELLED = 1;
    private static final int UNKNOWN = 2;
    private static final int INVALID_ARGUMENT = 3;
    private static final int DEADLINE_EXCEEDED = 4;
    private static final int NOT_FOUND = 5;
    private static final int PERMISSION_DENIED = 7;
    private static final int ABORTED = 10;
    private static final int OUT_OF_RANGE = 11;
    private static final int UNIMPLEMENTED = 12;
    private static final int INTERNAL = 13;
    private static final int UNAVAILABLE = 14;
    private static final int DATA_LOSS = 15;
    private static final int UNAUTHENTICATED = 16;

    private final int code;
    private final String said;

    private Trouble(Effect effect, Kind kind, int code, String said, String message) {
        super(effect, kind, message);
        this.code = code;
        this.said = said;
    }

    /** The server answered, and refused. */
    static Trouble refused(URI server, Ended refusal) {
        int code = refusal.code();
        String said = refusal.said();
        String place = name(server);
        boolean login = code == UNAUTHENTICATED || said.contains("authentication failed");
        if (login || said.contains("user name is empty")) {
            return new Trouble(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    code,
                    said,
                    "etcd at " + place + " does not accept the user and password of the store URL: " + said);
        }
        if (code == PERMISSION_DENIED) {
            return new Trouble(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    code,
                    said,
                    "etcd at " + place + " does not allow this user to do that: " + said
                            + ". Give its role readwrite permission on the folder of the store URL");
        }
        if (code == UNIMPLEMENTED) {
            return new Trouble(Effect.NONE, Kind.MISCONFIGURED, code, said, strange(place));
        }
        return new Trouble(effect(code), Kind.UNREACHABLE, code, said, "etcd at " + place + ": " + said);
    }

    /** Something answered, but what it said is not etcd's. */
    static Trouble notEtcd(URI server) {
        return new Trouble(Effect.UNKNOWN, Kind.MISCONFIGURED, 0, "", strange(name(server)));
    }

    private static String strange(String place) {
        return place + " answers, but not as etcd 3.4 or newer does";
    }

    /** Only refusals that come before the log, or that the log applies to nobody, are certain. */
    private static Effect effect(int code) {
        return switch (code) {
            case 0, CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, ABORTED, OUT_OF_RANGE, INTERNAL, UNAVAILABLE, DATA_LOSS ->
                Effect.UNKNOWN;
            default -> Effect.NONE;
        };
    }

    /** There was no answer. */
    static BackendException noAnswer(URI endpoint, Throwable failure) {
        Throwable cause = Stages.rootOf(failure);
        String place = name(endpoint);
        if (cause instanceof SSLException) {
            return new BackendException(
                    cause instanceof SSLHandshakeException ? Effect.NONE : Effect.UNKNOWN,
                    Kind.MISCONFIGURED,
                    "no TLS connection to etcd at " + place + ": " + cause.getMessage()
                            + ". Check tls.ca, tls.cert and tls.key, and that the certificate carries this host's name",
                    cause);
        }
        if (cause instanceof Unreachable) {
            return new BackendException(
                    Effect.NONE,
                    Kind.UNREACHABLE,
                    "etcd at " + place + " cannot be reached: " + problem(cause.getCause()),
                    cause);
        }
        Throwable before = cause.getCause();
        if (cause instanceof NotProcessed && before != null && isOfTls(before)) {
            BackendException reason = noAnswer(endpoint, before);
            return new BackendException(Effect.NONE, reason.kind(), String.valueOf(reason.getMessage()), cause);
        }
        if (cause instanceof NotProcessed) {
            return new BackendException(Effect.NONE, Kind.UNREACHABLE, "etcd at " + place + ": " + cause.getMessage());
        }
        if (cause instanceof NotGrpc) {
            return new BackendException(
                    Effect.UNKNOWN, Kind.MISCONFIGURED, strange(place) + ": " + cause.getMessage(), cause);
        }
        if (cause instanceof NoAnswer) {
            return new BackendException(
                    Effect.UNKNOWN,
                    Kind.UNREACHABLE,
                    "etcd at " + place + " did not answer in time (it hangs, has lost its quorum, or the connection is"
                            + " half-open)",
                    cause);
        }
        if (cause instanceof EndedEarly) {
            return new BackendException(
                    Effect.UNKNOWN,
                    Kind.UNREACHABLE,
                    "no TLS connection to etcd at " + place + ": it ended the connection before its first word ("
                            + cause.getMessage() + "). If it always does: it may want a certificate of this client"
                            + " (tls.cert and tls.key)",
                    cause);
        }
        return new BackendException(
                Effect.UNKNOWN,
                Kind.UNREACHABLE,
                "the connection to etcd at " + place + " broke before the answer: " + words(cause),
                cause);
    }

    private static String words(Throwable cause) {
        return cause instanceof IOException && cause.getMessage() != null ? cause.getMessage() : cause.toString();
    }

    private static String problem(@Nullable Throwable cause) {
        if (cause instanceof SocketTimeoutException) {
            return "it does not answer at all";
        }
        if (cause instanceof UnknownHostException) {
            return "its name cannot be resolved";
        }
        return cause instanceof ConnectException ? "the connection was refused" : String.valueOf(cause);
    }

    /** Why a connection has ended that a call was about to use: people need the reason, not that it has ended. */
    private static boolean isOfTls(Throwable reason) {
        return reason instanceof SSLException || reason instanceof EndedEarly;
    }

    /** Nothing was sent, so another server can be asked at once. */
    static boolean isBeforeSending(Throwable failure) {
        Throwable cause = Stages.rootOf(failure);
        return cause instanceof Unreachable || cause instanceof NotProcessed;
    }

    /** The token of the login has expired, or the rights were changed since. */
    boolean wantsLogin() {
        return code == UNAUTHENTICATED || (code == INVALID_ARGUMENT && said.contains("auth store is old"));
    }

    /** This server is cut off or starting; another one may do better. */
    boolean isOfThisServer() {
        return code == UNAVAILABLE || code == DEADLINE_EXCEEDED;
    }

    boolean isLeaseGone() {
        return code == NOT_FOUND && said.contains("lease");
    }

    boolean isLoginOff() {
        return said.contains("authentication is not enabled");
    }

    private static String name(URI endpoint) {
        return endpoint.getHost() + ":" + endpoint.getPort();
    }
}
