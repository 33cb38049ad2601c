// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.Stages;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLHandshakeException;

/** What an answer that is no success means: whether something may have happened, whether waiting helps, and what people can do. */
final class ApiErrors {
    private static final int SHOWN_MAX = 300;
    /** One for all: each has to learn every type anew, which takes long in a young JVM. */
    static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

    /** Nothing was changed: the server refuses this request with this status. */
    private static final class Refusal extends BackendException {
        private static final long serialVersionUID = 1L;

        private final int code;

        Refusal(int code, String message) {
            super(Effect.NONE, Kind.MISCONFIGURED, message);
            this.code = code;
        }
    }

    private ApiErrors() {}

    /** Does it say that this client may not do this? */
    static boolean isForbidden(Throwable failure) {
        return codeOf(failure) == 403;
    }

    /** Is it about this Lease, and not about this client: may it not be written so, or is it another election's? */
    static boolean isOfOneLease(Throwable failure) {
        int code = codeOf(failure);
        boolean foreign = Stages.rootOf(failure) instanceof BackendException known
                && known.kind() == Kind.CORRUPT
                && known.effect() == Effect.NONE;
        return foreign || code == 403 || code == 422;
    }

    /** 0 if it is no refusal of the server. */
    private static int codeOf(Throwable failure) {
        return Stages.rootOf(failure) instanceof Refusal refusal ? refusal.code : 0;
    }

    static BackendException of(KubernetesSettings settings, String verb, int code, String body) {
        String namespace = settings.namespace();
        String doing = verb + " of Leases in namespace " + namespace;
        String said = said(body);
        return switch (code) {
            case 401 ->
                BackendException.misconfigured(
                        "the API server does not accept the credentials of this client (401): renew the token or the"
                                + " certificate in the kubeconfig, or the service account of the pod");
            case 403 ->
                new Refusal(
                        code,
                        "the API server refuses " + doing + " (403): " + said
                                + ". If a right is missing, 'tenure kubernetes" + " rbac --namespace " + namespace
                                + "' prints what is needed");
            case 404 ->
                BackendException.misconfigured(
                        "namespace " + namespace + " does not exist, or the server has no Leases (404): " + said
                                + ". Make it with 'kubectl create namespace " + namespace + "'");
            case 400, 405, 406, 413, 415, 422 ->
                new Refusal(code, "the API server cannot do the " + doing + " (" + code + "): " + said);
            case 429 ->
                BackendException.unreachable(
                        "the API server is too busy (429): a FlowSchema as in examples/kubernetes keeps a place for elections");
            default -> BackendException.unknown("the API server failed at the " + doing + " (" + code + "): " + said);
        };
    }

    /** The request got no answer. */
    static BackendException of(KubernetesSettings settings, Throwable failure) {
        Throwable cause = Stages.rootOf(failure);
        String server = settings.config().getMasterUrl();
        // A connection that breaks later may break behind a request: only before the handshake is over nothing was
        // sent.
        if (cause instanceof SSLHandshakeException) {
            return new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "no TLS with " + server + ": " + cause.getMessage() + "; is its authority in the kubeconfig?",
                    cause);
        }
        if (cause instanceof IllegalArgumentException) { // without it: it quotes the header, which is a secret
            return BackendException.misconfigured("the token in the kubeconfig cannot be sent: it must be one line");
        }
        boolean unsent = cause instanceof ConnectException
                || cause instanceof UnknownHostException
                || cause instanceof HttpConnectTimeoutException;
        return new BackendException(
                unsent ? Effect.NONE : Effect.UNKNOWN,
                Kind.UNREACHABLE,
                "no answer from " + server + ": "
                        + (cause.getMessage() == null ? "it cannot be reached" : cause.getMessage()),
                cause);
    }

    /** What a write has left may be unusable, because something in the server has changed it; but it was written. */
    static <T> T ofWritten(Supplier<T> read) {
        try {
            return read.get();
        } catch (BackendException unusable) {
            throw new BackendException(
                    Effect.UNKNOWN, unusable.kind(), String.valueOf(unusable.getMessage()), unusable);
        }
    }

    /** The server's own sentence, where it has one; an answer of something else is not repeated. */
    private static String said(String body) {
        try {
            String message = SERIALIZATION.unmarshal(body, Status.class).getMessage();
            return message == null || message.isBlank()
                    ? "it does not say why"
                    : message.substring(0, Math.min(message.length(), SHOWN_MAX));
        } catch (RuntimeException noStatus) {
            return "it does not say why";
        }
    }
}
