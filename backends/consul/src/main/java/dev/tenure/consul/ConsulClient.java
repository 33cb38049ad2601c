package dev.tenure.consul;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.support.BlockingCalls;
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
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Consul's HTTP interface. One attempt for each call, at one server; after a failure the next one is asked. Any thread. */
final class ConsulClient {
    private static final int CALLS_MAX = 16;
    private static final String DENIED = "Permission denied";

    private final ConsulSettings settings;
    private final HttpClient http;
    private final BlockingCalls calls;
    /** Renewals do not wait behind claims, nor behind the query that waits for changes. */
    private final BlockingCalls urgent;

    private final BlockingCalls watching;
    private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
    private volatile int serverAt;

    ConsulClient(ConsulSettings settings, Executor io) {
        this.settings = settings;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(settings.timeout().dividedBy(3));
        settings.url().tls().map(TlsFiles::context).ifPresent(builder::sslContext);
        this.http = builder.build();
        this.calls = new BlockingCalls(io, CALLS_MAX);
        this.urgent = new BlockingCalls(io, 2);
        this.watching = new BlockingCalls(io, 1);
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

    private record Answer(int status, @Nullable Object json, String text, long index) {
        List<KeyValueEntry> entries() {
            return json instanceof List<?> list
                    ? list.stream().map(one -> KeyValueEntry.of((Map<?, ?>) one)).toList()
                    : List.of();
        }
    }

    /** All of these operations, or none. One that only reads is linearizable. */
    CompletableFuture<TxnReply> txn(List<String> operations) {
        return calls.call(() -> txnNow(operations));
    }

    /** The same, for callers that may block. */
    TxnReply txnNow(List<String> operations) {
        Answer answer = exchange("PUT", "/v1/txn?consistent", operations.toString(), settings.timeout());
        Map<?, ?> txn = (Map<?, ?>) answer.json;
        if (txn != null && txn.get("Errors") instanceof List<?> errors && !errors.isEmpty()) {
            Map<?, ?> first = (Map<?, ?>) errors.get(0);
            String why = String.valueOf(first.get("What"));
            if (why.contains(DENIED)) {
                throw denied(why);
            }
            return new TxnReply(List.of(), ((Number) first.get("OpIndex")).intValue(), why);
        }
        if (answer.status != 200 || txn == null) {
            throw strange(answer);
        }
        List<?> results = txn.get("Results") instanceof List<?> list ? list : List.of();
        return new TxnReply(
                results.stream()
                        .map(one -> KeyValueEntry.of((Map<?, ?>) ((Map<?, ?>) one).get("KV")))
                        .toList(),
                -1,
                "");
    }

    CompletableFuture<String> createSession(String name, Duration ttl, Duration lockDelay) {
        String body = JsonText.object(
                "Name", name,
                "TTL", ttl.toMillis() + "ms",
                "Behavior", "release",
                "LockDelay", lockDelay.toMillis() + "ms",
                "NodeChecks", List.of(),
                "ServiceChecks", List.of());
        return urgent.call(() -> {
            Answer answer = exchange("PUT", "/v1/session/create?", body, settings.timeout());
            if (answer.text.contains("Session TTL")) {
                throw StoreUrl.refused("this Consul does not grant a TTL of " + DurationText.format(ttl)
                        + ": choose one of 10s to 24h, or lower session_ttl_min of its servers (" + answer.text + ")");
            }
            if (answer.status != 200 || !(answer.json instanceof Map<?, ?> made)) {
                throw strange(answer);
            }
            return String.valueOf(made.get("ID"));
        });
    }

    /** Completes with false if Consul does not know the session any more. */
    CompletableFuture<Boolean> renewSession(String id, Duration timeout) {
        return urgent.call(() -> {
            Answer answer = exchange("PUT", "/v1/session/renew/" + id + "?", "", timeout);
            if (answer.status == 404 && answer.text.contains(id)) {
                return false;
            }
            if (answer.status != 200) {
                throw strange(answer);
            }
            return true;
        });
    }

    CompletableFuture<Void> destroySession(String id) {
        return urgent.call(() -> {
            Answer answer = exchange("PUT", "/v1/session/destroy/" + id + "?", "", settings.timeout());
            if (answer.status != 200) {
                throw strange(answer);
            }
            return null;
        });
    }

    /** Answers when a key has changed since the index, or when the time is over, to which Consul adds up to a sixteenth. */
    CompletableFuture<Changes> changes(long index, Duration wait) {
        String path = "/v1/kv/" + raw(settings.keys().prefix()) + "/?recurse&index=" + index + "&wait="
                + wait.toMillis() + "ms";
        Duration timeout = wait.plus(wait.dividedBy(16)).plus(settings.timeout());
        return watching.call(() -> {
            Answer answer = exchange("GET", path, "", timeout);
            if ((answer.status != 200 && answer.status != 404) || answer.index <= 0) {
                throw strange(answer);
            }
            return new Changes(answer.entries(), answer.index);
        });
    }

    /** The servers that vote. Every Consul answers this, whatever its access control. */
    CompletableFuture<Integer> peers() {
        return calls.call(() -> {
            Answer answer = exchange("GET", "/v1/status/peers?", "", settings.timeout());
            if (answer.status != 200 || !(answer.json instanceof List<?> peers)) {
                throw strange(answer);
            }
            return peers.size();
        });
    }

    /** Empty if the token may not know. */
    CompletableFuture<Optional<String>> version() {
        return calls.call(() -> {
            try {
                Object self = exchange("GET", "/v1/agent/self?", "", settings.timeout()).json;
                return self instanceof Map<?, ?> agent && agent.get("Config") instanceof Map<?, ?> config
                        ? Optional.of(String.valueOf(config.get("Version")))
                        : Optional.empty();
            } catch (BackendException refused) {
                if (refused.kind() == Kind.MISCONFIGURED) {
                    return Optional.empty();
                }
                throw refused;
            }
        });
    }

    void close() {
        calls.close();
        urgent.close();
        watching.close();
        underWay.forEach(call -> call.cancel(true));
    }

    private Answer exchange(String method, String path, String body, Duration timeout) {
        int at = serverAt;
        Server server = settings.servers().get(at);
        String scheme = settings.url().tls().isPresent() ? "https://" : "http://";
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(scheme + server + path + settings.everywhere()))
                .method(method, BodyPublishers.ofString(body));
        settings.token().ifPresent(token -> request.header("X-Consul-Token", token));
        CompletableFuture<HttpResponse<byte[]>> call = http.sendAsync(request.build(), BodyHandlers.ofByteArray());
        underWay.add(call);
        try {
            return answer(server, call.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unreachable(Effect.UNKNOWN, server, interrupted);
        } catch (TimeoutException | CancellationException silent) {
            serverAt = (at + 1) % settings.servers().size();
            throw unreachable(Effect.UNKNOWN, server, silent);
        } catch (ExecutionException failed) {
            serverAt = (at + 1) % settings.servers().size();
            Throwable cause = failed.getCause();
            if (cause instanceof SSLException) {
                throw new BackendException(
                        Effect.NONE,
                        Kind.MISCONFIGURED,
                        "Consul at " + server + " is not trusted, or does not trust this client: look at the tls.…"
                                + " options of the store URL (" + cause.getMessage() + ")",
                        cause);
            }
            boolean unsent = cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
            throw unreachable(unsent ? Effect.NONE : Effect.UNKNOWN, server, cause);
        } finally {
            underWay.remove(call);
            call.cancel(true);
        }
    }

    private Answer answer(Server server, HttpResponse<byte[]> response) {
        String text = new String(response.body(), StandardCharsets.UTF_8).strip();
        int status = response.statusCode();
        if (status == 403 || status == 401) {
            throw denied(text);
        }
        if (status >= 500 || status == 429) {
            serverAt = (serverAt + 1) % settings.servers().size();
            throw new BackendException(
                    Effect.UNKNOWN, Kind.UNREACHABLE, "Consul at " + server + " cannot serve: " + shown(text));
        }
        long index = response.headers().firstValueAsLong("X-Consul-Index").orElse(0);
        try {
            return new Answer(status, status == 200 || status == 409 ? JsonText.read(response.body()) : null, text, index);
        } catch (IOException noJson) {
            throw strange(new Answer(status, null, text, 0));
        }
    }

    private BackendException unreachable(Effect effect, Server server, Throwable cause) {
        String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return new BackendException(
                effect,
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
