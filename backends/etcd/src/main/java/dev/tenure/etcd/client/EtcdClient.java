package dev.tenure.etcd.client;

import dev.tenure.etcd.client.proto.AuthGrpc;
import dev.tenure.etcd.client.proto.AuthenticateRequest;
import dev.tenure.etcd.client.proto.ClusterGrpc;
import dev.tenure.etcd.client.proto.KVGrpc;
import dev.tenure.etcd.client.proto.LeaseGrantRequest;
import dev.tenure.etcd.client.proto.LeaseGrpc;
import dev.tenure.etcd.client.proto.LeaseKeepAliveRequest;
import dev.tenure.etcd.client.proto.LeaseRevokeRequest;
import dev.tenure.etcd.client.proto.LeaseTimeToLiveRequest;
import dev.tenure.etcd.client.proto.MaintenanceGrpc;
import dev.tenure.etcd.client.proto.MemberListRequest;
import dev.tenure.etcd.client.proto.RangeRequest;
import dev.tenure.etcd.client.proto.ResponseHeader;
import dev.tenure.etcd.client.proto.StatusRequest;
import dev.tenure.etcd.client.proto.StatusResponse;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.StoreUrl;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The way to the servers: one channel to one of them, for calls and streams alike. Loop-confined: call it on the loop, and
 * answers come back to the loop.
 *
 * <p>A request that was certainly not sent is offered to the other servers; one that may have been is not repeated here.
 * Every call has an end: the answer, or the timeout. A channel on which an answer is late is left, by calls and streams
 * together, so whichever notices first that it is half-open notices it for all.
 */
public final class EtcdClient {
    private static final int PAGE = 2000;

    private final Host host;
    private final Endpoints endpoints;
    private final ChannelFactory channels;
    private final Optional<StoreUrl.Login> user;
    private final Duration timeout;
    /** Closing a client, on whatever thread, takes its listeners away. */
    private final List<Runnable> disconnectListeners = new CopyOnWriteArrayList<>();

    private Optional<CompletableFuture<String>> login = Optional.empty();
    private volatile Optional<ServerChannel> current = Optional.empty();
    private volatile boolean closed;

    /** When something was so: which cluster, at which revision. The header of every answer says it. */
    public record ClusterRevision(long cluster, long revision) {
        static ClusterRevision of(ResponseHeader header) {
            return new ClusterRevision(header.getClusterId(), header.getRevision());
        }
    }

    /** A lease, as it was granted. */
    public record Grant(long lease, Duration ttl) {}

    /** @param ttl zero if the lease is gone */
    public record Renewal(ClusterRevision at, Duration ttl) {}

    /** A part of what a range holds. */
    public record Page(List<KeyValue> found, boolean hasMore, ClusterRevision at) {}

    public EtcdClient(EtcdSettings settings, Host host) {
        this.host = host;
        this.endpoints = new Endpoints(settings.endpoints(), host.random());
        this.channels = new ChannelFactory(settings.tls(), settings.timeout().dividedBy(3));
        this.user = settings.user();
        this.timeout = settings.timeout();
    }

    /** From any thread. */
    public void close() {
        closed = true;
        current.ifPresent(ServerChannel::close);
        channels.close();
    }

    // ---- the calls of etcd that are used here

    public CompletableFuture<TxnReply> txn(Txn txn) {
        return txn(txn, timeout);
    }

    /** @param callTimeout after which the server is left for another one, although its answer may still come */
    public CompletableFuture<TxnReply> txn(Txn txn, Duration callTimeout) {
        return call(KVGrpc.getTxnMethod(), txn.message(), callTimeout).thenApply(TxnReply::new);
    }

    public CompletableFuture<Page> range(KeyRange range) {
        return range(range.request());
    }

    /** Of the store now: a linearizable read of any key tells it. */
    public CompletableFuture<Long> revision(String key) {
        return range(KeyRange.one(key).request().setKeysOnly(true))
                .thenApply(page -> page.at().revision());
    }

    /**
     * All that the range holds, at one revision, page by page.
     *
     * @param revision at which it is read; 0: now
     */
    public CompletableFuture<List<KeyValue>> all(KeyRange range, long revision, boolean keysOnly) {
        return all(range, revision, keysOnly, new ArrayList<>());
    }

    private CompletableFuture<List<KeyValue>> all(
            KeyRange range, long revision, boolean keysOnly, List<KeyValue> found) {
        return range(range.request().setLimit(PAGE).setRevision(revision).setKeysOnly(keysOnly))
                .thenCompose(page -> {
                    List<KeyValue> some = page.found();
                    found.addAll(some);
                    if (!page.hasMore() || some.isEmpty()) {
                        return CompletableFuture.completedFuture(found);
                    }
                    KeyRange rest = range.after(some.get(some.size() - 1).key());
                    return all(rest, revision > 0 ? revision : page.at().revision(), keysOnly, found);
                });
    }

    private CompletableFuture<Page> range(RangeRequest.Builder request) {
        return call(KVGrpc.getRangeMethod(), request.build(), timeout)
                .thenApply(reply -> new Page(
                        KeyValue.all(reply.getKvsList()), reply.getMore(), ClusterRevision.of(reply.getHeader())));
    }

    public CompletableFuture<Grant> grantLease(Duration ttl) {
        long seconds = Math.max(1, (ttl.toMillis() + 999) / 1000);
        LeaseGrantRequest request =
                LeaseGrantRequest.newBuilder().setTTL(seconds).build();
        return call(LeaseGrpc.getLeaseGrantMethod(), request, timeout)
                .thenApply(reply -> new Grant(reply.getID(), Duration.ofSeconds(reply.getTTL())));
    }

    /** A stream for etcd; here one message and its answer are one renewal. */
    public CompletableFuture<Renewal> keepAlive(long lease, Duration callTimeout) {
        LeaseKeepAliveRequest request =
                LeaseKeepAliveRequest.newBuilder().setID(lease).build();
        return call(LeaseGrpc.getLeaseKeepAliveMethod(), request, callTimeout)
                .thenApply(reply -> new Renewal(
                        ClusterRevision.of(reply.getHeader()), Duration.ofSeconds(Math.max(0, reply.getTTL()))));
    }

    public CompletableFuture<Void> revokeLease(long lease) {
        LeaseRevokeRequest request =
                LeaseRevokeRequest.newBuilder().setID(lease).build();
        return call(LeaseGrpc.getLeaseRevokeMethod(), request, timeout).thenApply(reply -> null);
    }

    /** How many seconds it has left; not more than 0 if it has ended. */
    public CompletableFuture<Long> timeToLive(long lease, Duration callTimeout) {
        LeaseTimeToLiveRequest request =
                LeaseTimeToLiveRequest.newBuilder().setID(lease).build();
        return call(LeaseGrpc.getLeaseTimeToLiveMethod(), request, callTimeout).thenApply(reply -> reply.getTTL());
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
            current = Optional.of(channels.open(endpoints.current(), Optional.of(host.io()), this::leaveIfEnded));
        }
        return current.get();
    }

    /** The connection of some channel has ended. */
    private void leaveIfEnded() {
        host.post(() -> current.filter(now -> !now.isUsable()).ifPresent(this::leave));
    }

    /** This one failed, or is too slow. Many may notice that together: only the first of them moves on. */
    private void leave(ServerChannel failed) {
        failed.leave();
        if (current.filter(now -> now == failed).isPresent()) {
            current = Optional.empty();
            endpoints.leave(failed.server());
            disconnectListeners.forEach(Runnable::run);
        }
    }

    /** Run when the server was left. */
    public void onDisconnect(Runnable listener) {
        disconnectListeners.add(listener);
    }

    public void removeOnDisconnect(Runnable listener) {
        disconnectListeners.remove(listener);
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
        private final long byNanos = host.nanos() + timeout.toNanos();
        private final CompletableFuture<A> answer = new CompletableFuture<>();
        private int serversLeft = endpoints.size();
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
            if (closed) {
                answer.completeExceptionally(
                        new BackendException(Effect.NONE, Kind.UNREACHABLE, "this client of etcd was closed"));
                return;
            }
            long leftNanos = byNanos - host.nanos();
            if (leftNanos <= 0) {
                answer.completeExceptionally(new BackendException(
                        Effect.NONE, Kind.UNREACHABLE, "no server of the cluster could be asked in time"));
                return;
            }
            ServerChannel channel = channel();
            Host.Timer late = host.wakeAt(host.nanos() + callTimeout.toNanos(), () -> leave(channel));
            ClientCall<Q, A> call = channel.call(method, Duration.ofNanos(leftNanos));
            call.start(
                    new ClientCall.Listener<>() {
                        private boolean answered;

                        @Override
                        public void onMessage(A message) {
                            answered = true;
                            host.post(() -> {
                                late.cancel();
                                answer.complete(message);
                            });
                        }

                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            if (!answered) {
                                EtcdError error = EtcdError.of(channel, status);
                                host.post(() -> {
                                    late.cancel();
                                    failed(channel, token, error);
                                });
                            }
                        }
                    },
                    ServerChannel.headers(token));
            call.request(1);
            call.sendMessage(request);
            call.halfClose();
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

    // ---- logins

    /** One login for all calls; an empty token without a user, or if the server wants none. */
    private CompletableFuture<String> token() {
        if (user.isEmpty()) {
            return CompletableFuture.completedFuture("");
        }
        if (login.isPresent()) {
            return login.get();
        }
        var call = new Call<>(AuthGrpc.getAuthenticateMethod(), request(user.get()), timeout);
        call.loggedInAgain = true; // a refusal here is final
        call.send("");
        CompletableFuture<String> token = call.answer
                .thenApply(reply -> reply.getToken())
                .exceptionallyCompose(
                        failure -> Stages.rootOf(failure) instanceof EtcdError refused && refused.isLoginOff()
                                ? CompletableFuture.completedFuture("")
                                : CompletableFuture.failedFuture(failure));
        login = Optional.of(token);
        Stages.follow(token, known -> {}, failure -> login = Optional.empty());
        return token;
    }

    static AuthenticateRequest request(StoreUrl.Login user) {
        return AuthenticateRequest.newBuilder()
                .setName(user.user())
                .setPassword(user.password())
                .build();
    }

    /** The rights of a stream were refused: the next one logs in anew. */
    void forgetLogin() {
        login = Optional.empty();
    }

    // ---- streams

    /** Opens a stream of answers without an end; they are passed on in order, on the loop, and none after its end. */
    <Q, A> ServerStream<Q, A> stream(
            MethodDescriptor<Q, A> method, Q request, Consumer<A> onMessage, Consumer<EtcdError> onEnd) {
        ServerChannel channel = channel();
        ServerStream<Q, A> stream = new ServerStream<>(channel, channel.stream(method), onMessage, onEnd);
        Stages.follow(token(), token -> stream.start(request, token), stream::loginFailed);
        return stream;
    }

    /** One stream of a server. */
    final class ServerStream<Q, A> extends ClientCall.Listener<A> {
        private final ServerChannel channel;
        private final ClientCall<Q, A> call;
        private final Consumer<A> onMessage;
        private final Consumer<EtcdError> onEnd;
        private volatile boolean over;

        ServerStream(ServerChannel channel, ClientCall<Q, A> call, Consumer<A> onMessage, Consumer<EtcdError> onEnd) {
            this.channel = channel;
            this.call = call;
            this.onMessage = onMessage;
            this.onEnd = onEnd;
        }

        void start(Q request, String token) {
            if (!over) {
                call.start(this, ServerChannel.headers(token));
                call.request(Integer.MAX_VALUE);
                call.sendMessage(request);
            }
        }

        void loginFailed(Throwable failure) {
            onClose(Status.UNAUTHENTICATED.withDescription("the login failed").withCause(failure), new Metadata());
        }

        @Override
        public void onMessage(A message) {
            host.post(() -> {
                if (!over) {
                    onMessage.accept(message);
                }
            });
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            EtcdError error = EtcdError.of(channel, status);
            host.post(() -> {
                if (!over) {
                    over = true;
                    onEnd.accept(error); // before leave, which opens the streams again that are still open
                    leave(channel);
                }
            });
        }

        /** From any thread. */
        void close() {
            over = true;
            call.cancel("not wanted any more", null);
        }
    }
}
