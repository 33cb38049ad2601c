package dev.tenure.etcd;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

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
    static Trouble refused(URI endpoint, int status, Json answer) {
        Json error = answer.at("error").has("message") ? answer.at("error") : answer;
        int code = (int) (error.has("grpc_code") ? error.number("grpc_code") : error.number("code"));
        String said = error.text("message").isEmpty() ? error.text("error") : error.text("message");
        if (said.isEmpty()) {
            said = "HTTP status " + status;
        }
        String place = name(endpoint);
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
        if (code == 0 && (status == 404 || status == Gateway.OK)) {
            return new Trouble(
                    status == Gateway.OK ? Effect.UNKNOWN : Effect.NONE,
                    Kind.MISCONFIGURED,
                    code,
                    said,
                    place + " answers, but not as etcd's JSON gateway does (etcd 3.4 or newer, with"
                            + " --enable-grpc-gateway, which is the default)");
        }
        return new Trouble(effect(code), Kind.UNREACHABLE, code, said, "etcd at " + place + ": " + said);
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
        Throwable cause = rootOf(failure);
        String place = name(endpoint);
        if (cause instanceof SSLException) {
            return new BackendException(
                    cause instanceof SSLHandshakeException ? Effect.NONE : Effect.UNKNOWN,
                    Kind.MISCONFIGURED,
                    "no TLS connection to etcd at " + place + ": " + cause.getMessage()
                            + ". Check tls.ca, tls.cert and tls.key, and that the certificate carries this host's name",
                    cause);
        }
        if (isBeforeSending(cause)) {
            String problem = cause instanceof HttpConnectTimeoutException
                    ? "it does not answer at all"
                    : cause.getCause() instanceof UnresolvedAddressException
                            ? "its name cannot be resolved"
                            : "the connection was refused";
            return new BackendException(
                    Effect.NONE, Kind.UNREACHABLE, "etcd at " + place + " cannot be reached: " + problem, cause);
        }
        if (cause instanceof HttpTimeoutException) {
            return new BackendException(
                    Effect.UNKNOWN,
                    Kind.UNREACHABLE,
                    "etcd at " + place + " did not answer in time (it hangs, has lost its quorum, or the connection is"
                            + " half-open)",
                    cause);
        }
        return new BackendException(
                Effect.UNKNOWN,
                Kind.UNREACHABLE,
                "the connection to etcd at " + place + " broke before the answer: " + cause,
                cause);
    }

    static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root instanceof CompletionException && root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Nothing was sent, so another server can be asked at once. */
    static boolean isBeforeSending(Throwable failure) {
        Throwable cause = rootOf(failure);
        return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
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
