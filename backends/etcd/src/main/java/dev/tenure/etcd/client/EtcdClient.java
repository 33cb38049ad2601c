// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import dev.tenure.etcd.client.proto.AuthGrpc;
import dev.tenure.etcd.client.proto.AuthenticateRequest;
import dev.tenure.etcd.client.proto.AuthenticateResponse;
import dev.tenure.etcd.client.proto.ClusterGrpc;
import dev.tenure.etcd.client.proto.KVGrpc;
import dev.tenure.etcd.client.proto.LeaseGrantRequest;
import dev.tenure.etcd.client.proto.LeaseGrpc;
import dev.tenure.etcd.client.proto.LeaseKeepAliveRequest;
import dev.tenure.etcd.client.proto.LeaseRevokeRequest;
import dev.tenure.etcd.client.proto.LeaseTimeToLiveRequest;
import dev.tenure.etcd.client.proto.LeaseTimeToLiveResponse;
import dev.tenure.etcd.client.proto.MaintenanceGrpc;
import dev.tenure.etcd.client.proto.MemberListRequest;
import dev.tenure.etcd.client.proto.RangeRequest;
import dev.tenure.etcd.client.proto.StatusRequest;
import dev.tenure.etcd.client.proto.StatusResponse;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.SessionRequest;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.StoreUrl;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The way to the servers: one channel to one of them, for calls and streams alike. Loop-confined: call it on the loop, and
 * answers come back to the loop.
 *
 * <p>A request that was certainly not sent is offered to the other servers; one that may have been is not repeated here.
 * Every call has an end: the answer, or the timeout. A channel on which an answer is late is left, by calls and streams
 * together, so the first of them that notices a half-open connection ends it for all.
 */
public final class EtcdClient {
    private final List<URI> servers;
    private final Optional<StoreUrl.Login> user;
    private final Duration timeout;
    private final ServerChannel.Factory channels;
    private final Executor loop;
    private int server;
    private Optional<CompletableFuture<String>> login = Optional.empty();
    private volatile Optional<ServerChannel> current = Optional.empty();
    private volatile boolean closed;
    private Runnable onDisconnect = () -> {};

    /** What a range holds at this revision of the store. */
    public record Listing(List<KeyValue> found, long revision) {}

    private EtcdClient(EtcdSettings settings, ServerChannel.Factory channels, Executor loop, long seed) {
        this.servers = settings.endpoints();
        this.user = settings.user();
        this.timeout = settings.timeout();
        this.channels = channels;
        this.loop = loop;
        this.server = (int) Long.remainderUnsigned(seed, servers.size());
    }

    /** On the loop of this host. Clients are spread over the servers by chance. */
    public static EtcdClient on(Host host, EtcdSettings settings) {
        return new EtcdClient(settings, new ServerChannel.Factory(settings), host::post, host.random());
    }

    /** For callers that wait for each answer, see {@link #await}: its loop is the thread of its channels. */
    public static EtcdClient blocking(EtcdSettings settings) {
        ServerChannel.Factory channels = new ServerChannel.Factory(settings);
        return new EtcdClient(settings, channels, channels.thread(), 0);
    }

    /** From any thread. */
    public void close() {
        closed = true;
        current.ifPresent(ServerChannel::close);
        channels.close();
    }

    // ---- the calls of etcd that are used here

    public CompletableFuture<Txn.Reply> txn(Txn txn) {
        return txn(txn, timeout);
    }

    /** @param callTimeout after which the server is left for another one, although its answer may still come */
    public CompletableFuture<Txn.Reply> txn(Txn txn, Duration callTimeout) {
        return call(KVGrpc.getTxnMethod(), txn.message(), callTimeout).thenApply(Txn.Reply::new);
    }

    /**
     * The same, from any thread but the loop.
     *
     * @throws BackendException if there was no answer, or a refusal
     */
    public Txn.Reply await(Txn txn) throws InterruptedException {
        CompletableFuture<Txn.Reply> answer = new CompletableFuture<>();
        loop.execute(() -> Stages.follow(txn(txn), answer::complete, answer::completeExceptionally));
        try {
            return answer.get();
        } catch (ExecutionException failure) {
            throw EtcdError.of(Stages.rootOf(failure));
        }
    }

    /** A linearizable read, at one revision. */
    public CompletableFuture<Listing> range(KeyRange range, boolean keysOnly) {
        RangeRequest request = range.request().setKeysOnly(keysOnly).build();
        return call(KVGrpc.getRangeMethod(), request, timeout)
                .thenApply(reply -> new Listing(
                        KeyValue.all(reply.getKvsList()), reply.getHeader().getRevision()));
    }

    public CompletableFuture<GrantedLease> grantLease(SessionRequest session) {
        long seconds = Math.max(1, (session.ttl().toMillis() + 999) / 1000);
        var request = LeaseGrantRequest.newBuilder().setTTL(seconds).build();
        return call(LeaseGrpc.getLeaseGrantMethod(), request, timeout)
                .thenApply(
                        reply -> new GrantedLease(reply.getID(), Duration.ofSeconds(reply.getTTL()), session.node()));
    }

    /** A stream for etcd; here one message and its answer are one renewal. Returns the TTL, zero if the lease is gone. */
    public CompletableFuture<Duration> keepAlive(long lease, Duration callTimeout) {
        var request = LeaseKeepAliveRequest.newBuilder().setID(lease).build();
        return call(LeaseGrpc.getLeaseKeepAliveMethod(), request, callTimeout)
                .thenApply(reply -> Duration.ofSeconds(Math.max(0, reply.getTTL())));
    }

    public CompletableFuture<Void> revokeLease(long lease) {
        var request = LeaseRevokeRequest.newBuilder().setID(lease).build();
        return call(LeaseGrpc.getLeaseRevokeMethod(), request, timeout).thenApply(reply -> null);
    }

    /** How many seconds it has left: less than 0 since it has ended, and -1 if there is no such lease. */
    public CompletableFuture<Long> timeToLive(long lease, Duration callTimeout) {
        var request = LeaseTimeToLiveRequest.newBuilder().setID(lease).build();
        return call(LeaseGrpc.getLeaseTimeToLiveMethod(), request, callTimeout)
                .thenApply(LeaseTimeToLiveResponse::getTTL);
    }

    public CompletableFuture<String> version() {
        return call(MaintenanceGrpc.getStatusMethod(), StatusRequest.getDefaultInstance(), timeout)
                .thenApply(StatusResponse::getVersion);
    }

    /** How many members may vote. */
    public CompletableFuture<Integer> voters() {
        return call(ClusterGrpc.getMemberListMethod(), MemberListRequest.getDefaultInstance(), timeout)
                .thenApply(reply -> (int) reply.getMembersList().stream()
                        .filter(member -> !member.getIsLearner())
                        .count());
    }

    // ---- the channel

    private ServerChannel channel() {
        current.filter(now -> !now.isUsable()).ifPresent(this::leave);
        if (current.isEmpty()) {
            current = Optional.of(channels.open(servers.get(server), this::connectionEnded));
            if (closed) { // meanwhile, by another thread, which has not seen this channel
                current.get().close();
            }
        }
        return current.get();
    }

    /** That of some channel; on its thread. */
    private void connectionEnded() {
        if (!closed) {
            loop.execute(() -> current.filter(now -> !now.isUsable()).ifPresent(this::leave));
        }
    }

    /** This one failed, or is too slow. Many may notice that together: only the first of them moves on. */
    private void leave(ServerChannel failed) {
        failed.leave();
        if (current.filter(now -> now == failed).isPresent()) {
            current = Optional.empty();
            server = (server + 1) % servers.size();
            onDisconnect.run();
        }
    }

    /** Run when the server was left. */
    public void onDisconnect(Runnable listener) {
        onDisconnect = listener;
    }

    // ---- calls

    private <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q request, Duration callTimeout) {
        Call<Q, A> call = new Call<>(method, request, callTimeout);
        call.begin();
        return call.answer;
    }

    /** One request, until a server has answered it. */
    private final class Call<Q, A> {
        private final MethodDescriptor<Q, A> method;
        private final Q request;
        private final Duration callTimeout;
        private final Deadline deadline = Deadline.after(timeout.toNanos(), TimeUnit.NANOSECONDS);
        private final CompletableFuture<A> answer = new CompletableFuture<>();
        private int serversLeft = servers.size();
        private boolean loggedInAgain;

        Call(MethodDescriptor<Q, A> method, Q request, Duration callTimeout) {
            this.method = method;
            this.request = request;
            this.callTimeout = callTimeout;
        }

        void begin() {
            Stages.follow(token(), this::send, answer::completeExceptionally);
        }

        void send(String token) {
            if (closed || deadline.isExpired()) {
                String why =
                        closed ? "this client of etcd was closed" : "no server of the cluster could be asked in time";
                answer.completeExceptionally(BackendException.unreachable(why));
                return;
            }
            ServerChannel channel = channel();
            Future<?> late = channels.after(
                    callTimeout,
                    () -> loop.execute(() -> {
                        if (!answer.isDone()) {
                            leave(channel);
                        }
                    }));
            ClientCall<Q, A> call = channel.call(method, CallOptions.DEFAULT.withDeadline(deadline));
            boolean started = start(call, token, request, answer::complete, status -> {
                late.cancel(false);
                if (!answer.isDone()) {
                    failed(channel, token, EtcdError.of(channel, status));
                }
            });
            if (started) {
                call.halfClose();
            }
        }

        private void failed(ServerChannel channel, String token, EtcdError error) {
            if (error.isOfThisServer()) {
                leave(channel);
            }
            if (error.isBeforeSending() && --serversLeft > 0) {
                send(token);
            } else if (error.wantsLogin() && user.isPresent() && !loggedInAgain) {
                loggedInAgain = true;
                if (login.filter(known -> token.equals(known.getNow(""))).isPresent()) {
                    forgetLogin(); // once, though many calls had this token
                }
                begin();
            } else {
                answer.completeExceptionally(error);
            }
        }
    }

    /**
     * Answers in order, on the loop, until the stream is cancelled or has ended; if it ends, its server is left.
     *
     * @param ended told why; other streams of the server are opened again after that
     * @return cancels it, from any thread
     */
    <Q, A> Runnable stream(MethodDescriptor<Q, A> method, Q request, Consumer<A> answered, Consumer<String> ended) {
        ServerChannel channel = channel();
        ClientCall<Q, A> call = channel.call(method, CallOptions.DEFAULT);
        AtomicBoolean over = new AtomicBoolean();
        Consumer<Status> onEnd = status -> {
            if (over.compareAndSet(false, true)) {
                EtcdError error = EtcdError.of(channel, status);
                if (!error.isOfThisServer()) {
                    forgetLogin();
                }
                ended.accept(String.valueOf(error.getMessage()));
                leave(channel);
            }
        };
        Consumer<A> unlessOver = message -> {
            if (!over.get()) {
                answered.accept(message);
            }
        };
        Stages.follow(
                token(),
                token -> {
                    if (!over.get()) {
                        start(call, token, request, unlessOver, onEnd);
                    }
                },
                failure -> loop.execute(() -> onEnd.accept(Status.UNAUTHENTICATED
                        .withDescription("the login failed")
                        .withCause(failure))));
        return () -> {
            over.set(true);
            call.cancel("not wanted any more", null);
        };
    }

    /** Sends a request. What it answers and how it ends comes to the loop, in order. False if this client was closed meanwhile. */
    private <Q, A> boolean start(
            ClientCall<Q, A> call, String token, Q request, Consumer<A> answered, Consumer<Status> ended) {
        ClientCall.Listener<A> listener = new ClientCall.Listener<>() {
            @Override
            public void onMessage(A message) {
                loop.execute(() -> answered.accept(message));
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
                loop.execute(() -> ended.accept(status));
            }
        };
        try {
            call.start(listener, ServerChannel.headers(token));
            call.request(Integer.MAX_VALUE);
            call.sendMessage(request);
            return true;
        } catch (RejectedExecutionException closedMeanwhile) {
            ended.accept(Status.CANCELLED.withCause(closedMeanwhile));
            return false;
        }
    }

    // ---- logins

    /** One login for all calls; an empty token without a user, or if the server wants none. */
    private CompletableFuture<String> token() {
        if (user.isEmpty()) {
            return CompletableFuture.completedFuture("");
        }
        if (login.isPresent()) {
            return login.get();
        }
        var request = AuthenticateRequest.newBuilder()
                .setName(user.get().user())
                .setPassword(user.get().password())
                .build();
        var call = new Call<>(AuthGrpc.getAuthenticateMethod(), request, timeout);
        call.loggedInAgain = true; // a refusal here is final
        call.send("");
        CompletableFuture<String> token = call.answer
                .thenApply(AuthenticateResponse::getToken)
                .exceptionallyCompose(
                        failure -> Stages.rootOf(failure) instanceof EtcdError refused && refused.isLoginOff()
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
}
