package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Connection;
import dev.tenure.etcd.grpc.Ended;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.NoAnswer;
import dev.tenure.etcd.grpc.Receiver;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.TlsFiles;
import dev.tenure.wire.Reactor;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;

/**
 * The way to the servers: one connection to one of them, for calls and streams alike. Loop-confined: call it on the loop, and
 * answers come back to the loop.
 *
 * <p>A request that was certainly not looked at is offered to the other servers; one that may have been is not repeated here.
 * Every call has an end: the answer, or the timeout. A connection on which an answer is late is left, by calls and streams
 * together, so whichever notices first that it is half-open notices it for all.
 */
final class Gateway {
    private final Host host;
    private final Endpoints endpoints;
    private final Optional<SSLContext> tls;
    private final Optional<StoreUrl.Login> user;
    private final Duration timeout;
    /** Closing a client, on whatever thread, takes its listeners away. */
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    private Optional<CompletableFuture<String>> login = Optional.empty();
    private volatile Optional<Reactor> reactor = Optional.empty();
    private volatile Optional<Connection> current = Optional.empty();
    private volatile boolean closed;

    Gateway(Settings settings, Host host) {
        this.host = host;
        this.endpoints = new Endpoints(settings.endpoints(), host.random());
        this.tls = settings.tls().map(TlsFiles::context);
        this.user = settings.user();
        this.timeout = settings.timeout();
    }

    /** From any thread. */
    void close() {
        closed = true;
        current.ifPresent(Connection::close);
        reactor.ifPresent(Reactor::close);
    }

    // ---- the connection

    private Connection connection() {
        current.filter(now -> !now.isUsable()).ifPresent(this::leave);
        if (current.isPresent()) {
            return current.get();
        }
        Reactor waiting = reactor.filter(Reactor::isOpen).orElseGet(this::startReactor);
        Connection opened = new Connection(endpoints.current(), tls);
        current = Optional.of(opened);
        host.io().execute(() -> opened.connect(timeout.dividedBy(3), waiting));
        return opened;
    }

    private Reactor startReactor() {
        Reactor started = Reactor.open();
        reactor = Optional.of(started);
        host.io().execute(started);
        return started;
    }

    /** This one failed, or is too slow. Many may notice that together: only the first of them moves on. */
    void leave(Connection failed) {
        failed.retire();
        if (current.filter(now -> now == failed).isPresent()) {
            current = Optional.empty();
            endpoints.leave(failed.server());
            listeners.forEach(Runnable::run);
        }
    }

    /** Told when the connection was left. */
    void whenLeft(Runnable listener) {
        listeners.add(listener);
    }

    void forget(Runnable listener) {
        listeners.remove(listener);
    }

    // ---- calls

    CompletableFuture<TxnReply> txn(Txn txn) {
        return txn(txn, timeout);
    }

    CompletableFuture<TxnReply> txn(Txn txn, Duration patience) {
        return call(Method.TXN, txn.message(), patience).thenApply(TxnReply::new);
    }

    CompletableFuture<Message> call(Method method, Message request) {
        return call(method, request, timeout);
    }

    /** @param patience after which the server is left for another one, although its answer may still come */
    CompletableFuture<Message> call(Method method, Message request, Duration patience) {
        Call call = new Call(method, request, patience);
        call.begin();
        return call.answer;
    }

    private final class Call {
        private final Method method;
        private final Message request;
        private final long byNanos = host.nanos() + timeout.toNanos();
        private final Duration patience;
        private final CompletableFuture<Message> answer = new CompletableFuture<>();
        private int serversLeft = endpoints.size();
        private boolean loggedInAgain;

        Call(Method method, Message request, Duration patience) {
            this.method = method;
            this.request = request;
            this.patience = patience;
        }

        void begin() {
            if (closed) {
                answer.completeExceptionally(
                        new BackendException(Effect.NONE, Kind.UNREACHABLE, "this client of etcd was closed"));
            } else if (user.isEmpty()) {
                send("");
            } else {
                Stages.follow(token(), this::send, answer::completeExceptionally);
            }
        }

        private void send(String token) {
            if (byNanos - host.nanos() <= 0) {
                answer.completeExceptionally(new BackendException(
                        Effect.NONE, Kind.UNREACHABLE, "no server of the cluster could be asked in time"));
                return;
            }
            new Attempt(connection(), token).send();
        }

        /** Asks one server. */
        private final class Attempt implements Receiver {
            private final Connection connection;
            private final String token;
            private final Host.Timer doubt;
            private final Host.Timer end;
            private int stream;

            Attempt(Connection connection, String token) {
                this.connection = connection;
                this.token = token;
                this.doubt = host.wakeAt(host.nanos() + patience.toNanos(), () -> leave(connection));
                this.end = host.wakeAt(byNanos, () -> {
                    leave(connection);
                    connection.cancel(stream);
                    over(new NoAnswer());
                });
            }

            void send() {
                URI server = connection.server();
                stream = connection.send(method.headers(server, token), request, true, this);
            }

            @Override
            public void received(Message message) {
                host.post(() -> {
                    disarm();
                    if (Moment.isIn(message)) {
                        answer.complete(message);
                    } else {
                        answer.completeExceptionally(Trouble.notEtcd(connection.server()));
                    }
                });
            }

            @Override
            public void ended(IOException why) {
                host.post(() -> over(why));
            }

            private void disarm() {
                doubt.cancel();
                end.cancel();
            }

            private void over(IOException why) {
                disarm();
                if (answer.isDone()) {
                    return; // answered before, or given up
                }
                if (why instanceof Ended refusal) {
                    refused(Trouble.refused(connection.server(), refusal));
                    return;
                }
                leave(connection);
                if (Trouble.isBeforeSending(why) && --serversLeft > 0) {
                    Call.this.send(token);
                } else {
                    answer.completeExceptionally(Trouble.noAnswer(connection.server(), why));
                }
            }

            private void refused(Trouble refused) {
                if (refused.wantsLogin() && user.isPresent() && !loggedInAgain) {
                    loggedInAgain = true;
                    forgetLogin();
                    begin();
                    return;
                }
                if (refused.isOfThisServer()) {
                    leave(connection);
                }
                answer.completeExceptionally(refused);
            }
        }
    }

    // ---- logins

    /** One login for all calls; an empty token if the server wants none. */
    private CompletableFuture<String> token() {
        if (login.isPresent()) {
            return login.get();
        }
        Call call = new Call(Method.AUTHENTICATE, Method.login(user.orElseThrow()), timeout);
        call.loggedInAgain = true; // a refusal here is final
        call.send("");
        CompletableFuture<String> token = call.answer
                .thenApply(reply -> reply.text(2))
                .exceptionallyCompose(
                        failure -> Stages.rootOf(failure) instanceof Trouble refused && refused.isLoginOff()
                                ? CompletableFuture.completedFuture("")
                                : CompletableFuture.failedFuture(failure));
        login = Optional.of(token);
        Stages.follow(token, known -> {}, failure -> login = Optional.empty());
        return token;
    }

    /** The rights of a stream were refused: the next one logs in anew. */
    void forgetLogin() {
        login = Optional.empty();
    }

    // ---- streams

    /** A stream of answers, told on the loop; {@code ended} is told once, unless it was closed before. */
    Stream stream(Method method, Message request, Consumer<Message> told, Consumer<IOException> ended) {
        Stream stream = new Stream(host, connection(), told, ended);
        CompletableFuture<String> token = user.isEmpty() ? CompletableFuture.completedFuture("") : token();
        Stages.follow(
                token,
                known -> stream.open(method, request, known),
                failure -> stream.ended(new IOException("the login failed", failure)));
        return stream;
    }
}
