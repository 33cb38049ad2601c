package dev.tenure.etcd.client;

import dev.tenure.etcd.client.proto.AuthGrpc;
import dev.tenure.etcd.client.proto.KVGrpc;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.StoreUrl;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.lang.ref.Cleaner;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** The way to the servers for callers that may wait for the answer: fences. Safe for any thread. */
public final class BlockingEtcdClient {
    private static final Cleaner FORGOTTEN = Cleaner.create();

    private final EtcdSettings settings;
    private final Connection connection;
    private volatile Optional<String> token = Optional.empty();

    public BlockingEtcdClient(EtcdSettings settings) {
        this.settings = settings;
        this.connection = new Connection(settings);
        FORGOTTEN.register(this, connection::close); // a fence is not closed by its user
    }

    /** @throws BackendException if there was no answer, or a refusal */
    public TxnReply txn(Txn txn) throws InterruptedException {
        if (settings.user().isPresent() && token.isEmpty()) {
            login(settings.user().get());
        }
        try {
            return new TxnReply(call(KVGrpc.getTxnMethod(), txn.message()));
        } catch (EtcdError refused) {
            if (settings.user().isEmpty() || !refused.wantsLogin()) {
                throw refused;
            }
            login(settings.user().get()); // refused before it did anything
            return new TxnReply(call(KVGrpc.getTxnMethod(), txn.message()));
        }
    }

    private void login(StoreUrl.Login user) throws InterruptedException {
        token = Optional.empty();
        try {
            token = Optional.of(call(AuthGrpc.getAuthenticateMethod(), EtcdClient.request(user))
                    .getToken());
        } catch (EtcdError refused) {
            if (!refused.isLoginOff()) {
                throw refused;
            }
            token = Optional.of("");
        }
    }

    private <Q, A> A call(MethodDescriptor<Q, A> method, Q request) throws InterruptedException {
        for (int serversLeft = connection.servers(); true; serversLeft--) {
            ServerChannel channel = connection.channel();
            Future<A> answer = channel.ask(method, request, settings.timeout(), token.orElse(""));
            try {
                return answer.get();
            } catch (InterruptedException unwanted) {
                answer.cancel(true);
                throw unwanted;
            } catch (ExecutionException failure) {
                EtcdError error = EtcdError.of(channel, Status.fromThrowable(failure));
                if (error.isOfThisServer()) {
                    connection.leave(channel);
                }
                if (serversLeft <= 1 || !error.isBeforeSending()) {
                    throw error;
                }
            }
        }
    }

    /** The channel in use. It must not know the client, so that one that was forgotten can be closed. */
    private static final class Connection {
        private final Endpoints endpoints;
        private final ChannelFactory channels;
        private Optional<ServerChannel> current = Optional.empty();

        Connection(EtcdSettings settings) {
            this.endpoints = new Endpoints(settings.endpoints(), 0);
            this.channels =
                    new ChannelFactory(settings.tls(), settings.timeout().dividedBy(3));
        }

        int servers() {
            return endpoints.size();
        }

        synchronized ServerChannel channel() {
            current.filter(now -> !now.isUsable()).ifPresent(this::leave);
            if (current.isEmpty()) {
                current = Optional.of(channels.open(endpoints.current(), Optional.empty(), () -> {}));
            }
            return current.get();
        }

        synchronized void leave(ServerChannel failed) {
            failed.leave();
            if (current.filter(now -> now == failed).isPresent()) {
                current = Optional.empty();
                endpoints.leave(failed.server());
            }
        }

        synchronized void close() {
            current.ifPresent(ServerChannel::close);
            channels.close();
        }
    }
}
