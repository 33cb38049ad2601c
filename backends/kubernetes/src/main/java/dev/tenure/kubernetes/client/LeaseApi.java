package dev.tenure.kubernetes.client;

import dev.tenure.kubernetes.lease.LeaseNames;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.BlockingCalls;
import dev.tenure.spi.support.Stages;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseList;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The Leases of one namespace. Every read is a quorum read: none names a resource version. Every write is conditional: a Lease is
 * replaced with the version and the UID that it was read with, so that one that was deleted meanwhile is not made anew.
 *
 * <p>A process may ask for very many Leases at once. Renewals, and what they wait for, have a queue of their own, and so have writes: what has begun
 * comes to its end. A read that was not sent yet serves all who ask for the same Lease. Called from any thread; answers arrive on the loop.
 */
public final class LeaseApi {
    private static final int AT_ONCE_MAX = 8;
    private static final String JSON = "application/json";

    private final KubernetesSettings settings;
    private final Host host;
    private final HttpClient http;
    private final KubernetesSerialization json = new KubernetesSerialization();
    private final BlockingCalls renewals;
    private final BlockingCalls writes;
    private final BlockingCalls reads;
    private final Map<String, CompletableFuture<Optional<Lease>>> unsent = new ConcurrentHashMap<>();
    private final String leases;
    private volatile Duration timeout;

    public LeaseApi(KubernetesSettings settings, Host host) {
        this.settings = settings;
        this.host = host;
        this.http = HttpClientUtils.getHttpClientFactory()
                .newBuilder(settings.config())
                .build();
        this.renewals = new BlockingCalls(host.io(), AT_ONCE_MAX);
        this.writes = new BlockingCalls(host.io(), AT_ONCE_MAX);
        this.reads = new BlockingCalls(host.io(), AT_ONCE_MAX);
        this.leases = settings.config().getMasterUrl().replaceFirst("/*$", "")
                + "/apis/coordination.k8s.io/v1/namespaces/" + settings.namespace() + "/leases";
        this.timeout = settings.timeout();
    }

    public KubernetesSettings settings() {
        return settings;
    }

    /** A session with this TTL has no use for an answer that comes much later. */
    public void answerWithin(Duration ttl) {
        Duration useful = ttl.dividedBy(2);
        timeout = useful.compareTo(timeout) < 0 ? useful : timeout;
    }

    public CompletableFuture<Optional<Lease>> get(String name) {
        return unsent.computeIfAbsent(
                name,
                one -> call(queue(name, reads), () -> {
                    unsent.remove(name);
                    HttpResponse<String> answer = send("get", request("/" + name));
                    return answer.code() == 404 ? Optional.empty() : Optional.of(read(answer, Lease.class));
                }));
    }

    /** @param selector such as {@code labelSelector=a=b}, or empty for all of the namespace */
    public CompletableFuture<LeaseList> list(String selector) {
        return call(reads, () -> read(send("list", request("?" + query(selector))), LeaseList.class));
    }

    /** Empty if there is one already. */
    public CompletableFuture<Optional<Lease>> create(Lease lease) {
        String name = lease.getMetadata().getName();
        return call(
                queue(name, writes), () -> written(send("create", request("").post(JSON, json.asJson(lease)))));
    }

    /** Empty if another version stands there, or none. */
    public CompletableFuture<Optional<Lease>> replace(Lease lease) {
        return replace(lease, queue(lease.getMetadata().getName(), writes));
    }

    /** The same, before all that can wait. */
    public CompletableFuture<Optional<Lease>> renew(Lease lease) {
        return replace(lease, renewals);
    }

    private CompletableFuture<Optional<Lease>> replace(Lease lease, BlockingCalls queue) {
        String name = lease.getMetadata().getName();
        return call(queue, () -> written(send("update", request("/" + name).put(JSON, json.asJson(lease)))));
    }

    private BlockingCalls queue(String name, BlockingCalls usual) {
        return name.equals(LeaseNames.ERA) ? renewals : usual;
    }

    private Optional<Lease> written(HttpResponse<String> answer) {
        return answer.code() == 409 || answer.code() == 404 ? Optional.empty() : Optional.of(read(answer, Lease.class));
    }

    private HttpRequest.Builder request(String rest) {
        return http.newHttpRequestBuilder().uri(leases + rest).timeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static String query(String selector) {
        int equals = selector.indexOf('=');
        return equals < 0
                ? ""
                : selector.substring(0, equals + 1)
                        + URLEncoder.encode(selector.substring(equals + 1), StandardCharsets.UTF_8);
    }

    private HttpResponse<String> send(String verb, HttpRequest.Builder request) throws InterruptedException {
        HttpResponse<String> answer;
        try {
            answer = http.sendAsync(request.build(), String.class).get();
        } catch (ExecutionException failure) {
            throw ApiErrors.of(settings, failure);
        }
        // What is not there, or not as it was, is an answer; but a Lease cannot be created in a namespace that is not
        // there.
        boolean refused = answer.code() == 409 || (answer.code() == 404 && !verb.equals("create"));
        if (!HttpResponse.isSuccessful(answer.code()) && !refused) {
            throw ApiErrors.of(settings, verb, answer.code(), answer.body());
        }
        return answer;
    }

    private <T> T read(HttpResponse<String> answer, Class<T> type) {
        try {
            return json.unmarshal(answer.body(), type);
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
                + Math.max(1, longest.toSeconds()) + "&" + query(selector);
        HttpRequest request = http.newHttpRequestBuilder()
                .uri(leases + options)
                .forStreaming()
                .build();
        return http.consumeBytes(request, consumer);
    }

    <T> T parse(String text, Class<T> type) {
        return json.unmarshal(text, type);
    }

    public void close() {
        reads.close();
        writes.close();
        renewals.close(http::close);
    }
}
