// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import dev.tenure.spi.BackendException;
import io.grpc.Status;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** What went wrong, in a sentence for people, and what the call may have done all the same. */
public final class EtcdError extends BackendException {
    private static final long serialVersionUID = 1L;
    /** What a refusal by etcd itself begins with, and not one of the library or of something between. */
    private static final String ETCD_PREFIX = "etcdserver:";

    private final Status.Code code;
    private final String description;

    private EtcdError(Effect effect, Kind kind, Status status, String message) {
        super(effect, kind, message, status.getCause());
        this.code = status.getCode();
        this.description = description(status);
    }

    /** The same failure for callers: one that says nothing of its effect may have had one. */
    public static BackendException of(Throwable failure) {
        return failure instanceof BackendException known
                ? known
                : new BackendException(Effect.UNKNOWN, Kind.UNREACHABLE, String.valueOf(failure), failure);
    }

    /** The call has ended with this status, on a channel that was ready before, or was not. */
    static EtcdError of(ServerChannel channel, Status status) {
        String place = channel.server().getAuthority();
        String description = description(status);
        if (status.getCode() == Status.Code.UNAVAILABLE && !channel.wasReady()) {
            return neverConnected(channel.server(), status);
        }
        return switch (status.getCode()) {
            case UNAUTHENTICATED -> badLogin(status, place);
            case PERMISSION_DENIED ->
                misconfigured(
                        status,
                        "etcd at " + place + " does not allow this user to do that: " + description
                                + ". Give its role readwrite permission on the folder of the store URL");
            case UNIMPLEMENTED ->
                misconfigured(status, place + " answers, but not as etcd 3.4 or newer does: " + description);
            case INVALID_ARGUMENT, FAILED_PRECONDITION, NOT_FOUND, ALREADY_EXISTS, RESOURCE_EXHAUSTED ->
                description.contains("authentication failed") || description.contains("user name is empty")
                        ? badLogin(status, place)
                        : unreachable(refusalEffect(description), status, "etcd at " + place + ": " + description);
            case DEADLINE_EXCEEDED ->
                unreachable(
                        Effect.UNKNOWN,
                        status,
                        "etcd at " + place + " did not answer in time (it hangs, has lost its quorum, or the"
                                + " connection is half-open)");
            default ->
                unreachable(
                        Effect.UNKNOWN,
                        status,
                        description.startsWith(ETCD_PREFIX)
                                ? "etcd at " + place + ": " + description
                                : "the connection to etcd at " + place + " broke before the answer: " + description);
        };
    }

    /**
     * Refusals that come before the log, or that the log applies to nobody, are certain if they are etcd's. A server without space
     * applies a transaction first, and refuses it then.
     */
    private static Effect refusalEffect(String description) {
        return description.startsWith(ETCD_PREFIX) && !description.contains("space exceeded")
                ? Effect.NONE
                : Effect.UNKNOWN;
    }

    private static EtcdError badLogin(Status status, String place) {
        return misconfigured(
                status,
                "etcd at " + place + " does not accept the user and password of the store URL: " + description(status));
    }

    /** There was no connection on which the request could have been sent. */
    private static EtcdError neverConnected(URI server, Status status) {
        String unreachable = "etcd at " + server.getAuthority() + " cannot be reached: ";
        String noTls = "no TLS connection to etcd at " + server.getAuthority() + ": ";
        String ended = "it ended the connection before it sent anything (" + description(status) + "). If it ";
        Optional<Throwable> tls = cause(status, SSLException.class);
        if (tls.isPresent()) {
            return misconfigured(
                    status,
                    noTls
                            + (is(tls.get(), "NotSslRecordException")
                                    ? "perhaps it does not speak TLS"
                                    : tls.get().getMessage() + ". Check tls.ca, tls.cert and tls.key, and that the"
                                            + " certificate carries this host's name"));
        }
        if (cause(status, UnknownHostException.class).isPresent()) {
            return unreachable(Effect.NONE, status, unreachable + "its name cannot be resolved");
        }
        Optional<Throwable> refused = cause(status, ConnectException.class);
        if (refused.isPresent()) {
            String why = is(refused.get(), "ConnectTimeoutException")
                    ? "it does not answer at all"
                    : "the connection was refused: " + description(status);
            return unreachable(Effect.NONE, status, unreachable + why);
        }
        return server.getScheme().equals("https")
                ? misconfigured(
                        status,
                        noTls + ended + "always does: perhaps it does not speak TLS, or it wants a certificate of this"
                                + " client (tls.cert and tls.key)")
                : unreachable(Effect.NONE, status, unreachable + ended + "wants TLS, add ?tls=true to the store URL");
    }

    /** Nothing was done, and nothing will be until somebody changes something. */
    private static EtcdError misconfigured(Status status, String message) {
        return new EtcdError(Effect.NONE, Kind.MISCONFIGURED, status, message);
    }

    private static EtcdError unreachable(Effect effect, Status status, String message) {
        return new EtcdError(effect, Kind.UNREACHABLE, status, message);
    }

    /** By a class of the transport, which is not to be named here. */
    private static boolean is(Throwable failure, String simpleName) {
        return failure.getClass().getSimpleName().equals(simpleName);
    }

    private static Optional<Throwable> cause(Status status, Class<? extends Throwable> type) {
        Throwable cause = status.getCause();
        while (cause != null && !type.isInstance(cause)) {
            cause = cause.getCause();
        }
        return Optional.ofNullable(cause);
    }

    private static String description(Status status) {
        String description = status.getDescription();
        return description == null || description.isEmpty()
                ? status.getCode().toString()
                : description.lines().findFirst().orElse("");
    }

    /** Nothing was sent, so another server can be asked at once. */
    boolean isBeforeSending() {
        return code == Status.Code.UNAVAILABLE && effect() == Effect.NONE;
    }

    /** The token of the login has expired, or the rights were changed since. */
    boolean wantsLogin() {
        return code == Status.Code.UNAUTHENTICATED
                || (code == Status.Code.INVALID_ARGUMENT && description.contains("auth store is old"));
    }

    /** It was not the request: the connection, or this server, is in trouble; another one may do better. */
    boolean isOfThisServer() {
        return switch (code) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, INTERNAL, UNKNOWN -> true;
            default -> false;
        };
    }

    public boolean isLeaseGone() {
        return code == Status.Code.NOT_FOUND && description.contains("lease");
    }

    boolean isLoginOff() {
        return description.contains("authentication is not enabled");
    }
}
