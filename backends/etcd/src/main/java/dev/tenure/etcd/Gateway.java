package dev.tenure.etcd;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * etcd's JSON gateway, one request at a time or as a stream. Loop-confined: call it on the loop, and answers come back to
 * the loop.
 *
 * <p>A request that could not be sent at all is offered to the other servers; one that may have been sent is not repeated
 * here. Every call has an end: the answer, or the timeout, which is ours, because that of the client covers headers only.
 */
final class Gateway {
    static final int OK = 200;
    /** With it a server that has lost its cluster refuses at once, and ends its streams. */
    static final String NEEDS_LEADER = "Grpc-Metadata-hasleader";

    private final HttpClient http;
    private final Host host;
    private final Endpoints endpoints;
    private final Optional<Settings.User> user;
    private final Duration timeout;
    private Optional<CompletableFuture<String>> login = Optional.empty();
    private volatile boolean closed;

    Gateway(Settings settings, Host host) {
        this.host = host;
        this.endpoints = new Endpoints(settings.endpoints(), host.random());
        this.user = settings.user();
        this.timeout = settings.timeout();
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1) // all that the gateway speaks without TLS
                .executor(host.io())
                .connectTimeout(timeout.dividedBy(3));
        settings.tls().ifPresent(tls -> builder.sslContext(tls.context()));
        this.http = builder.build();
    }

    Endpoints endpoints() {
        return endpoints;
    }

    void close() {
        closed = true;
    }

    CompletableFuture<Json> call(String path, String body) {
        return call(path, body, timeout);
    }

    /** @param patience after which the server is left for another one, although its answer may still come */
    CompletableFuture<Json> call(String path, String body, Duration patience) {
        Call call = new Call(path, body, patience);
        call.begin();
        return call.answer;
    }

    private static BackendException afterClose() {
        return new BackendException(Effect.NONE, Kind.UNREACHABLE, "this client of etcd was closed");
    }

    private final class Call {
        private final String path;
        private final String body;
        private final long byNanos = host.nanos() + timeout.toNanos();
        private final Duration patience;
        private final CompletableFuture<Json> answer = new CompletableFuture<>();
        private int serversLeft = endpoints.size();
        private boolean loggedInAgain;
        private Runnable whenDone = () -> {};

        Call(String path, String body, Duration patience) {
            this.path = path;
            this.body = body;
            this.patience = patience;
        }

        void begin() {
            if (closed) {
                answer.completeExceptionally(afterClose());
                return;
            }
            if (user.isEmpty()) {
                send("");
                return;
            }
            Answers.follow(token(), this::send, answer::completeExceptionally);
        }

        private void send(String token) {
            long leftNanos = byNanos - host.nanos();
            URI endpoint = endpoints.current();
            if (leftNanos <= 0) {
                answer.completeExceptionally(new BackendException(
                        Effect.NONE, Kind.UNREACHABLE, "no server of the cluster could be asked in time"));
                return;
            }
            HttpRequest request = request(endpoint, path, body, token)
                    .timeout(Duration.ofNanos(leftNanos))
                    .build();
            CompletableFuture<HttpResponse<String>> sent = http.sendAsync(request, info -> body(endpoint, info));
            Host.Timer doubt = host.wakeAt(host.nanos() + patience.toNanos(), () -> endpoints.leave(endpoint));
            Host.Timer end = host.wakeAt(byNanos, () -> {
                if (!answer.isDone()) {
                    endpoints.leave(endpoint);
                    answer.completeExceptionally(
                            Trouble.noAnswer(endpoint, new HttpTimeoutException("no answer in time")));
                    sent.cancel(true);
                }
            });
            whenDone = () -> {
                doubt.cancel();
                end.cancel();
            };
            Answers.follow(sent, told -> {}, failure -> host.post(() -> failed(endpoint, token, failure)));
        }

        /**
         * The answer is taken where the body ends: the future of the exchange makes a detour over a pool of the JDK, which on a
         * small machine starts a thread for every answer.
         */
        private BodySubscriber<String> body(URI endpoint, HttpResponse.ResponseInfo info) {
            BodySubscriber<String> body = BodySubscribers.ofString(StandardCharsets.UTF_8);
            Answers.follow(
                    body.getBody(),
                    text -> {
                        Answer reply = Answer.of(info.statusCode(), text);
                        host.post(() -> answered(endpoint, reply));
                    },
                    failure -> {}); // the exchange fails too
            return body;
        }

        private void failed(URI endpoint, String token, Throwable failure) {
            whenDone.run();
            if (answer.isDone()) {
                return; // given up before
            }
            endpoints.leave(endpoint);
            if (Trouble.isBeforeSending(failure) && --serversLeft > 0) {
                send(token);
            } else {
                answer.completeExceptionally(Trouble.noAnswer(endpoint, failure));
            }
        }

        private void answered(URI endpoint, Answer reply) {
            whenDone.run();
            if (answer.isDone()) {
                return;
            }
            // A stream of one answer wraps it, and has refusals with status 200.
            Json json = reply.json.has("result") ? reply.json.at("result") : reply.json;
            if (reply.status == OK && json.has("header")) {
                answer.complete(json);
                return;
            }
            Trouble refused = Trouble.refused(endpoint, reply.status, reply.json);
            if (refused.wantsLogin() && user.isPresent() && !loggedInAgain) {
                loggedInAgain = true;
                login = Optional.empty();
                begin();
                return;
            }
            if (refused.isOfThisServer()) {
                endpoints.leave(endpoint);
            }
            answer.completeExceptionally(refused);
        }
    }

    private record Answer(int status, Json json) {
        static Answer of(int status, String body) {
            return new Answer(status, parse(body));
        }

        private static Json parse(String body) {
            try {
                return body.isBlank() ? Json.EMPTY : Json.parse(body);
            } catch (IllegalArgumentException notJson) {
                return Json.EMPTY; // a proxy's page, perhaps: the status tells
            }
        }
    }

    private HttpRequest.Builder request(URI endpoint, String path, String body, String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(endpoint.resolve(path))
                .header("Content-Type", "application/json")
                .header(NEEDS_LEADER, "true")
                .POST(BodyPublishers.ofString(body));
        return token.isEmpty() ? request : request.header("Authorization", token);
    }

    /** One login for all calls; an empty token if the server wants none. */
    private CompletableFuture<String> token() {
        if (login.isPresent()) {
            return login.get();
        }
        Settings.User who = user.orElseThrow();
        String body = "{\"name\":" + Json.quote(who.name()) + ",\"password\":" + Json.quote(who.password()) + "}";
        Call call = new Call("/v3/auth/authenticate", body, timeout);
        call.loggedInAgain = true; // a refusal here is final
        call.send("");
        CompletableFuture<String> token = call.answer
                .thenApply(reply -> reply.text("token"))
                .exceptionallyCompose(
                        failure -> Trouble.rootOf(failure) instanceof Trouble refused && refused.isLoginOff()
                                ? CompletableFuture.completedFuture("")
                                : CompletableFuture.failedFuture(failure));
        login = Optional.of(token);
        Answers.follow(token, known -> {}, failure -> login = Optional.empty());
        return token;
    }

    /** A stream of answers, told on the loop; {@code ended} is told once, unless it was closed before. */
    Stream stream(String path, String body, Consumer<Json> line, Consumer<Throwable> ended) {
        Stream stream = new Stream(host, endpoints.current(), line, ended);
        CompletableFuture<String> token = user.isEmpty() ? CompletableFuture.completedFuture("") : token();
        Answers.follow(
                token,
                known -> stream.open(
                        http, request(stream.endpoint(), path, body, known).build()),
                stream::onError);
        return stream;
    }

    /** The rights of a stream were refused: the next one logs in anew. */
    void forgetLogin() {
        login = Optional.empty();
    }
}
