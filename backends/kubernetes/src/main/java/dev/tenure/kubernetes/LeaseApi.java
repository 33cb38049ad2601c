// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.BlockingCalls;
import dev.tenure.spi.support.Stages;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseList;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The Leases of one namespace. Every read is a quorum read: none names a resource version. Every write is conditional: a Lease is
 * replaced with the version and the UID that it was read with, so that one that was deleted meanwhile is not made anew.
 *
 * <p>A process may ask for very many Leases at once. Renewals, releases, and the era that they may wait for, have a queue and threads of their
 * own. A read that was not
 * sent yet serves all who ask for the same Lease. Called from any thread; answers arrive on the loop.
 */
final class LeaseApi {
    private static final int AT_ONCE_MAX = 8;
    private static final int MICROS = 1000;
    private static final String JSON = "application/json";

    private final KubernetesSettings settings;
    private final Host host;
    private final HttpClient http;
    private final BlockingCalls renewals;
    private final BlockingCalls others;
    private final Map<String, CompletableFuture<Optional<Lease>>> unsent = new ConcurrentHashMap<>();
    private final AtomicLong writes = new AtomicLong();
    private final String leases;
    private volatile Duration timeout;

    LeaseApi(KubernetesSettings settings, Host host) {
        this.settings = settings;
        this.host = host;
        this.http = HttpClientUtils.getHttpClientFactory()
                .newBuilder(settings.config())
                .build();
        Executor threads = work -> host.runDuty("tenure-kubernetes", work);
        this.renewals = new BlockingCalls(threads, AT_ONCE_MAX);
        this.others = new BlockingCalls(threads, AT_ONCE_MAX);
        this.leases = settings.config().getMasterUrl().replaceFirst("/*$", "")
                + "/apis/coordination.k8s.io/v1/namespaces/" + settings.namespace() + "/leases";
        this.timeout = settings.timeout();
    }

    KubernetesSettings settings() {
        return settings;
    }

    /** A session with this TTL has no use for an answer that comes much later. */
    void answerWithin(Duration ttl) {
        Duration useful = ttl.dividedBy(2);
        timeout = useful.compareTo(timeout) < 0 ? useful : timeout;
    }

    /** For the next write: true UTC for people and for electors that look at it, and never the same twice, because a write without a change is none. */
    ZonedDateTime now() {
        return ElectionLease.time(host.wallMillis(), writes.getAndIncrement() % MICROS);
    }

    CompletableFuture<Optional<Lease>> get(String name) {
        CompletableFuture<Optional<Lease>> asked = unsent.computeIfAbsent(
                name,
                one -> call(queue(name), () -> {
                    unsent.remove(name);
                    return find(name);
                }));
        Runnable forget = () -> unsent.remove(name, asked); // also if it was never sent
        Stages.follow(asked, found -> forget.run(), failure -> forget.run());
        return asked;
    }

    /** What a refused renewal has met: before all that can wait. */
    CompletableFuture<Optional<Lease>> reread(String name) {
        return call(renewals, () -> find(name));
    }

    private Optional<Lease> find(String name) throws InterruptedException {
        HttpResponse<String> answer = send("get", request("/" + name));
        return answer.code() == 404 ? Optional.empty() : Optional.of(read(answer, Lease.class));
    }

    /** @param selector such as {@code fieldSelector=metadata.name=a}, or empty for all of the namespace */
    CompletableFuture<LeaseList> list(String selector) {
        return call(others, () -> read(send("list", request("?" + selector)), LeaseList.class));
    }

    /** Empty if there is one already. */
    CompletableFuture<Optional<Lease>> create(Lease lease) {
        return call(
                others, () -> written(send("create", request("").post(JSON, ApiErrors.SERIALIZATION.asJson(lease)))));
    }

    /** Empty if another version stands there, or none. */
    CompletableFuture<Optional<Lease>> replace(Lease lease) {
        return replace(lease, queue(lease.getMetadata().getName()));
    }

    private BlockingCalls queue(String name) {
        return name.equals(LeaseNames.ERA) || name.startsWith(LeaseNames.SESSION) ? renewals : others;
    }

    /** The same, before all that can wait. */
    CompletableFuture<Optional<Lease>> replaceFirst(Lease lease) {
        return replace(lease, renewals);
    }

    private CompletableFuture<Optional<Lease>> replace(Lease lease, BlockingCalls queue) {
        HttpRequest.Builder to = request("/" + lease.getMetadata().getName());
        return call(queue, () -> written(send("update", to.put(JSON, ApiErrors.SERIALIZATION.asJson(lease)))));
    }

    /** False if another version stands there, or none. */
    CompletableFuture<Boolean> delete(Lease lease) {
        String name = lease.getMetadata().getName();
        String options = ApiErrors.SERIALIZATION.asJson(new DeleteOptionsBuilder()
                .withNewPreconditions(
                        lease.getMetadata().getResourceVersion(),
                        lease.getMetadata().getUid())
                .build());
        return call(others, () -> {
            int code = send("delete", request("/" + name).delete(JSON, options)).code();
            return code != 404 && code != 409;
        });
    }

    private Optional<Lease> written(HttpResponse<String> answer) {
        return answer.code() == 409 || answer.code() == 404 ? Optional.empty() : Optional.of(read(answer, Lease.class));
    }

    private HttpRequest.Builder request(String rest) {
        return http.newHttpRequestBuilder().uri(leases + rest).timeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private HttpResponse<String> send(String verb, HttpRequest.Builder request) throws InterruptedException {
        HttpResponse<String> answer;
        CompletableFuture<HttpResponse<String>> asked = sent(() -> http.sendAsync(request.build(), String.class));
        try {
            // The client's own timeout ends with the headers of an answer.
            answer = asked.get(2 * timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            throw ApiErrors.of(settings, failure);
        } catch (TimeoutException silent) {
            asked.cancel(true);
            throw BackendException.unknown(
                    "no whole answer from " + settings.config().getMasterUrl() + " in time", silent);
        }
        // What is not there, or not as it was, is an answer; but a Lease cannot be created in a namespace that is not
        // there.
        boolean refused = answer.code() == 409 || (answer.code() == 404 && !verb.equals("create"));
        if (!HttpResponse.isSuccessful(answer.code()) && !refused) {
            throw ApiErrors.of(settings, verb, answer.code(), answer.body());
        }
        return answer;
    }

    /** A request that cannot be made fails like one that gets no answer. */
    private static <T> CompletableFuture<T> sent(Supplier<CompletableFuture<T>> request) {
        try {
            return request.get();
        } catch (RuntimeException unusable) {
            return CompletableFuture.failedFuture(unusable);
        }
    }

    private <T> T read(HttpResponse<String> answer, Class<T> type) {
        try {
            return ApiErrors.SERIALIZATION.unmarshal(answer.body(), type);
        } catch (RuntimeException garbled) {
            throw new BackendException(
                    Effect.UNKNOWN,
                    Kind.CORRUPT,
                    "the answer of " + settings.config().getMasterUrl() + " is no " + type.getSimpleName()
                            + " of Kubernetes: is it an API server?",
                    garbled);
        }
    }

    private <T> CompletableFuture<T> call(BlockingCalls calls, Callable<T> work) {
        CompletableFuture<T> onLoop = new CompletableFuture<>();
        Stages.follow(
                calls.call(work),
                reply -> host.post(() -> onLoop.complete(reply)),
                failure -> host.post(() -> onLoop.completeExceptionally(failure)));
        return onLoop;
    }

    /** Bytes of a watch from this version on, until the server closes it, at last after this time. */
    CompletableFuture<HttpResponse<AsyncBody>> watch(
            String selector, String version, Duration longest, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        String options = "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version + "&timeoutSeconds="
                + Math.max(1, longest.toSeconds()) + "&" + selector;
        HttpRequest request = http.newHttpRequestBuilder()
                .uri(leases + options)
                .forStreaming()
                .build();
        return sent(() -> http.consumeBytes(request, consumer));
    }

    void close() {
        renewals.close();
        others.close(() -> renewals.close(http::close));
    }
}
