// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.StoreUrl.Server;
import dev.tenure.spi.support.TlsFiles;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** Consul's HTTP interface. One attempt for each call, at one server; after a failure the next one is asked. Any thread. */
final class ConsulClient {
    /** Of a TTL: a server that is silent for that long is left for another one, while its answer is still worth having. */
    private static final int PATIENCE_PERCENT = 15;

    private static final String BAD_TTL = "Session TTL";
    private static final String DENIED = "Permission denied";

    /** What Consul says, and what people are told. */
    private static final Map<String, String> REFUSALS = Map.of(
            "blocked by agent configuration",
            "blocks what Tenure needs: take /v1/txn, /v1/session, /v1/kv and /v1/status out of"
                    + " http_config.block_endpoints",
            "No path to datacenter",
            "knows no such datacenter: correct ?datacenter= in the store URL",
            "Consul Enterprise feature",
            "has no namespaces, which are for Consul Enterprise: leave ?namespace= out of the store URL");

    private final ConsulSettings settings;
    private final Optional<Host> host;
    private final HttpClient http;
    private final Map<Object, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();
    private volatile int serverAt;
    private volatile Duration patience;

    /** @param host whose timers limit the time of calls; without one, those that wait for an answer do */
    ConsulClient(ConsulSettings settings, Optional<Host> host) {
        this.settings = settings;
        this.host = host;
        this.patience = settings.timeout();
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(settings.timeout().dividedBy(3));
        host.ifPresent(its -> builder.executor(its.io()));
        settings.url().tls().map(TlsFiles::context).ifPresent(builder::sslContext);
        this.http = builder.build();
    }

    /** @param refusedAt which operation was refused, so that none was applied; -1 if all were */
    record TxnReply(List<KeyValueEntry> entries, int refusedAt, String why) {
        boolean applied() {
            return refusedAt < 0;
        }

        Map<String, KeyValueEntry> byKey() {
            return KeyLayout.byKey(entries);
        }
    }

    /** @param index to ask with next time */
    record Changes(List<KeyValueEntry> entries, long index) {}

    /** @param objects of its JSON, if it is any */
    private record Answer(int status, List<Map<String, String>> objects, String text, long index) {
        /** Of the first object that has it; empty if none has. */
        Optional<String> field(String name) {
            return objects.stream()
                    .filter(object -> object.containsKey(name))
                    .map(object -> object.getOrDefault(name, ""))
                    .findFirst();
        }
    }

    /** All of these operations, or none. One that only reads is linearizable. */
    CompletableFuture<TxnReply> txn(List<String> operations) {
        return call("PUT", "/v1/txn?consistent", operations.toString()).thenApply(answer -> {
            Optional<String> why = answer.field("What");
            if (why.filter(text -> text.contains(DENIED)).isPresent()) {
                throw denied(why.get());
            }
            int refusedAt = why.isEmpty()
                    ? -1
                    : Integer.parseInt(answer.field("OpIndex").orElse("0"));
            requireOk(answer, why.isPresent());
            return new TxnReply(KeyValueEntry.among(answer.objects), refusedAt, why.orElse(""));
        });
    }

    CompletableFuture<String> createSession(String name, Duration ttl, Duration lockDelay) {
        patience = Duration.ofMillis(Math.min(settings.timeout().toMillis(), ttl.toMillis() * PATIENCE_PERCENT / 100));
        String body = JsonText.object(
                "Name",
                name,
                "TTL",
                ttl.toMillis() + "ms",
                "Behavior",
                "release",
                "LockDelay",
                lockDelay.toMillis() + "ms",
                "NodeChecks",
                List.of(),
                "ServiceChecks",
                List.of());
        return call("PUT", "/v1/session/create?", body).thenApply(answer -> {
            if (answer.text.contains(BAD_TTL)) {
                throw StoreUrl.refused("this Consul does not grant a TTL of " + DurationText.format(ttl)
                        + ": choose one of 10s to 24h, or lower session_ttl_min of its servers (" + answer.text + ")");
            }
            return answer.field("ID").orElseThrow(() -> strange(answer));
        });
    }

    /** Completes with false if Consul does not know the session any more. */
    CompletableFuture<Boolean> renewSession(String id) {
        return call("PUT", "/v1/session/renew/" + id + "?", "").thenApply(answer -> {
            boolean gone = answer.status == 404 && answer.text.contains(id);
            requireOk(answer, gone);
            return !gone;
        });
    }

    CompletableFuture<Void> destroySession(String id) {
        return call("PUT", "/v1/session/destroy/" + id + "?", "").thenAccept(answer -> requireOk(answer, false));
    }

    /** Answers when a key has changed since the index, or when the time is over, to which Consul adds up to a sixteenth. */
    CompletableFuture<Changes> changes(long index, Duration wait) {
        String path = "/v1/kv/" + raw(settings.keys().prefix()) + "/?recurse&index=" + index + "&wait="
                + wait.toMillis() + "ms";
        Duration timeout = wait.plus(wait.dividedBy(16)).plus(settings.timeout());
        return exchange("GET", path, "", timeout).thenApply(answer -> {
            boolean noKeys = answer.status == 404 && answer.index > 0;
            requireOk(answer, noKeys);
            return new Changes(KeyValueEntry.among(answer.objects), answer.index);
        });
    }

    /** The servers that vote. Every Consul answers this, whatever its access control. */
    CompletableFuture<Integer> peers() {
        return call("GET", "/v1/status/peers?", "").thenApply(answer -> {
            requireOk(answer, false);
            return answer.text.split(",", -1).length;
        });
    }

    /** Empty if the token may not know. */
    CompletableFuture<Optional<String>> version() {
        return call("GET", "/v1/agent/self?", "")
                .handle((answer, refused) -> refused == null ? answer.field("Version") : Optional.empty());
    }

    void close() {
        underWay.values().forEach(call -> call.cancel(true));
    }

    private CompletableFuture<Answer> call(String method, String path, String body) {
        return exchange(method, path, body, settings.timeout());
    }

    private CompletableFuture<Answer> exchange(String method, String path, String body, Duration timeout) {
        int at = serverAt;
        Server server = settings.servers().get(at);
        String scheme = settings.url().tls().isPresent() ? "https://" : "http://";
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(scheme + server + path + settings.everywhere()))
                .timeout(timeout)
                .method(method, BodyPublishers.ofString(body));
        try {
            settings.token().ifPresent(token -> request.header("X-Consul-Token", token));
        } catch (BackendException unreadable) {
            return CompletableFuture.failedFuture(unreadable);
        }
        CompletableFuture<HttpResponse<byte[]>> call = http.sendAsync(request.build(), BodyHandlers.ofByteArray());
        Object sent = new Object();
        underWay.put(sent, call);
        host.ifPresent(its -> its.post(() -> limit(its, call, at, timeout)));
        return call.handle((response, failure) -> {
            underWay.remove(sent);
            if (failure == null) {
                return answer(server, response);
            }
            leave(at);
            throw failed(server, Stages.rootOf(failure));
        });
    }

    private void limit(Host its, CompletableFuture<?> call, int at, Duration timeout) {
        if (call.isDone()) {
            return;
        }
        boolean waits = timeout.compareTo(settings.timeout()) > 0;
        Host.Timer silence = its.wakeAt(its.nanos() + (waits ? timeout : patience).toNanos(), () -> leave(at));
        Host.Timer end = its.wakeAt(its.nanos() + timeout.toNanos(), () -> call.cancel(true));
        Runnable answered = () -> its.post(() -> {
            silence.cancel();
            end.cancel();
        });
        Stages.follow(call, response -> answered.run(), failure -> answered.run());
    }

    private void leave(int at) {
        serverAt = (at + 1) % settings.servers().size();
    }

    private Answer answer(Server server, HttpResponse<byte[]> response) {
        String text = new String(response.body(), StandardCharsets.UTF_8).strip();
        int status = response.statusCode();
        REFUSALS.forEach((said, sentence) -> {
            if (status != 200 && text.contains(said)) {
                throw StoreUrl.refused("Consul at " + server + " " + sentence + " (" + shown(text) + ")");
            }
        });
        if (status == 403 || status == 401) {
            throw denied(text);
        }
        if ((status >= 500 && !text.contains(BAD_TTL)) || status == 429) {
            leave(settings.servers().indexOf(server));
            throw BackendException.unknown("Consul at " + server + " cannot serve: " + shown(text));
        }
        long index = response.headers().firstValueAsLong("X-Consul-Index").orElse(0);
        try {
            boolean json = status == 200 || status == 409;
            return new Answer(status, json ? JsonText.objects(response.body()) : List.of(), text, index);
        } catch (IOException noJson) {
            throw strange(new Answer(status, List.of(), text, 0));
        }
    }

    static BackendException failed(Server server, Throwable cause) {
        String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        if (cause instanceof SSLException) {
            String sentence = "Consul at " + server + " is not trusted, or does not trust this client: look at the"
                    + " tls.… options of the store URL (" + why + ")";
            // Nothing is sent before the end of the handshake. A connection can also break after a call was sent.
            Effect effect = cause instanceof SSLHandshakeException ? Effect.NONE : Effect.UNKNOWN;
            return new BackendException(effect, Kind.MISCONFIGURED, sentence, cause);
        }
        boolean unsent = cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
        return new BackendException(
                unsent ? Effect.NONE : Effect.UNKNOWN,
                Kind.UNREACHABLE,
                "no answer from Consul at " + server + " (" + why + "): check the store URL, and that the servers run",
                cause);
    }

    private BackendException denied(String why) {
        return StoreUrl.refused("Consul denies access (" + shown(why) + "): name an ACL token by ?token.file=FILE whose"
                + " policy has key_prefix \"" + settings.keys().prefix()
                + "/\" { policy = \"write\" } and session_prefix \"\" { policy = \"write\" }");
    }

    private BackendException strange(Answer answer) {
        return StoreUrl.refused(settings.url() + " does not answer as Consul 1.7 or newer does (status " + answer.status
                + ", " + shown(answer.text) + "): check host, port and tls in the store URL");
    }

    private void requireOk(Answer answer, boolean asExpected) {
        if (answer.status != 200 && !asExpected) {
            throw strange(answer);
        }
    }

    private static String shown(String text) {
        String line = text.lines().findFirst().orElse("no text");
        return line.length() > 200 ? line.substring(0, 200) + "…" : line;
    }

    private static String raw(String path) {
        try {
            return new URI(null, null, "/" + path, null).getRawPath().substring(1);
        } catch (URISyntaxException unusable) {
            throw StoreUrl.refused("'" + path + "' cannot be a prefix of keys");
        }
    }
}
