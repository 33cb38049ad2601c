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
    private static final String ETCD_SAYS = "etcdserver:";

    private final Status.Code code;
    private final String said;

    private EtcdError(Effect effect, Kind kind, Status status, String message) {
        super(effect, kind, message, status.getCause());
        this.code = status.getCode();
        this.said = said(status);
    }

    /** The call has ended with this status, on a channel that was ready before, or was not. */
    static EtcdError of(ServerChannel channel, Status status) {
        URI server = channel.server();
        String place = server.getHost() + ":" + server.getPort();
        if (status.getCode() == Status.Code.UNAVAILABLE && !channel.wasReady()) {
            return neverConnected(channel, status, place);
        }
        String said = said(status);
        return switch (status.getCode()) {
            case UNAUTHENTICATED -> login(status, place);
            case PERMISSION_DENIED ->
                new EtcdError(
                        Effect.NONE,
                        Kind.MISCONFIGURED,
                        status,
                        "etcd at " + place + " does not allow this user to do that: " + said
                                + ". Give its role readwrite permission on the folder of the store URL");
            case UNIMPLEMENTED -> notEtcd(Effect.NONE, status, place);
            case INVALID_ARGUMENT, FAILED_PRECONDITION, NOT_FOUND, ALREADY_EXISTS, RESOURCE_EXHAUSTED ->
                said.contains("authentication failed") || said.contains("user name is empty")
                        ? login(status, place)
                        : refused(status, place);
            case DEADLINE_EXCEEDED ->
                new EtcdError(
                        Effect.UNKNOWN,
                        Kind.UNREACHABLE,
                        status,
                        "etcd at " + place + " did not answer in time (it hangs, has lost its quorum, or the"
                                + " connection is half-open)");
            default ->
                said.startsWith(ETCD_SAYS)
                        ? new EtcdError(Effect.UNKNOWN, Kind.UNREACHABLE, status, "etcd at " + place + ": " + said)
                        : new EtcdError(
                                Effect.UNKNOWN,
                                Kind.UNREACHABLE,
                                status,
                                "the connection to etcd at " + place + " broke before the answer: " + said);
        };
    }

    /**
     * Refusals that come before the log, or that the log applies to nobody, are certain if they are etcd's. A server without space
     * applies a transaction first, and refuses it then.
     */
    private static EtcdError refused(Status status, String place) {
        String said = said(status);
        boolean certain = said.startsWith(ETCD_SAYS) && !said.contains("space exceeded");
        Effect effect = certain ? Effect.NONE : Effect.UNKNOWN;
        return new EtcdError(effect, Kind.UNREACHABLE, status, "etcd at " + place + ": " + said);
    }

    private static EtcdError login(Status status, String place) {
        return new EtcdError(
                Effect.NONE,
                Kind.MISCONFIGURED,
                status,
                "etcd at " + place + " does not accept the user and password of the store URL: " + said(status));
    }

    private static EtcdError notEtcd(Effect effect, Status status, String place) {
        return new EtcdError(
                effect,
                Kind.MISCONFIGURED,
                status,
                place + " answers, but not as etcd 3.4 or newer does: " + said(status));
    }

    /** There was no connection on which the request could have been sent. */
    private static EtcdError neverConnected(ServerChannel channel, Status status, String place) {
        Optional<Throwable> tls = cause(status, SSLException.class);
        if (tls.isPresent() && tls.get().getClass().getSimpleName().equals("NotSslRecordException")) {
            return noTls(status, place, "perhaps it does not speak TLS");
        }
        if (tls.isPresent()) {
            return noTls(
                    status,
                    place,
                    tls.get().getMessage()
                            + ". Check tls.ca, tls.cert and tls.key, and that the certificate carries this host's name");
        }
        if (cause(status, UnknownHostException.class).isPresent()) {
            return unreachable(status, place, "its name cannot be resolved");
        }
        Optional<Throwable> refused = cause(status, ConnectException.class);
        if (refused.isPresent()) {
            boolean late = refused.get().getClass().getSimpleName().equals("ConnectTimeoutException");
            return unreachable(
                    status, place, late ? "it does not answer at all" : "the connection was refused: " + said(status));
        }
        if (channel.isTls()) {
            return noTls(
                    status,
                    place,
                    "it ended the connection before its first word (" + said(status)
                            + "). If it always does: perhaps it does not speak TLS, or it wants a certificate of this"
                            + " client (tls.cert and tls.key)");
        }
        return unreachable(
                status,
                place,
                "it ended the connection before its first word (" + said(status)
                        + "). If it wants TLS, add ?tls=true to the store URL");
    }

    private static EtcdError noTls(Status status, String place, String why) {
        return new EtcdError(
                Effect.NONE, Kind.MISCONFIGURED, status, "no TLS connection to etcd at " + place + ": " + why);
    }

    private static EtcdError unreachable(Status status, String place, String why) {
        return new EtcdError(Effect.NONE, Kind.UNREACHABLE, status, "etcd at " + place + " cannot be reached: " + why);
    }

    private static Optional<Throwable> cause(Status status, Class<? extends Throwable> type) {
        Throwable cause = status.getCause();
        while (cause != null && !type.isInstance(cause)) {
            cause = cause.getCause();
        }
        return Optional.ofNullable(cause);
    }

    private static String said(Status status) {
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
                || (code == Status.Code.INVALID_ARGUMENT && said.contains("auth store is old"));
    }

    /** It was not the request: the connection, or this server, is in trouble; another one may do better. */
    boolean isOfThisServer() {
        return switch (code) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, INTERNAL, UNKNOWN -> true;
            default -> false;
        };
    }

    public boolean isLeaseGone() {
        return code == Status.Code.NOT_FOUND && said.contains("lease");
    }

    boolean isLoginOff() {
        return said.contains("authentication is not enabled");
    }
}
