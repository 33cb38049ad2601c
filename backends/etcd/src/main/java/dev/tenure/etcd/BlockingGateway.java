package dev.tenure.etcd;

import dev.tenure.etcd.grpc.BlockingConnection;
import dev.tenure.etcd.grpc.Ended;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.TlsFiles;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The way to the servers for those who may wait for the answer: fences, which run on the threads of their users. Each call
 * has a connection to itself, and leaves it to the next one; so there are as many as ever ran at once. Safe for any thread.
 */
final class BlockingGateway {
    private static final Cleaner FORGOTTEN = Cleaner.create();

    private final Settings settings;
    private final Optional<SSLContext> tls;
    private final Endpoints endpoints;
    private final Idle idle = new Idle();
    private volatile Optional<String> token = Optional.empty();

    BlockingGateway(Settings settings) {
        this.settings = settings;
        this.tls = settings.tls().map(TlsFiles::context);
        this.endpoints = new Endpoints(settings.endpoints(), 0);
        FORGOTTEN.register(this, idle::close); // a fence is not closed by its user
    }

    /** @throws BackendException if there was no answer, or a refusal */
    TxnReply txn(Message txn) throws InterruptedException {
        if (settings.user().isPresent() && token.isEmpty()) {
            login(settings.user().get());
        }
        try {
            return new TxnReply(send(Method.TXN, txn));
        } catch (Trouble refused) {
            if (settings.user().isEmpty() || !refused.wantsLogin()) {
                throw refused;
            }
            login(settings.user().get()); // refused before it did anything
            return new TxnReply(send(Method.TXN, txn));
        }
    }

    private void login(StoreUrl.Login user) throws InterruptedException {
        token = Optional.empty();
        try {
            token = Optional.of(send(Method.AUTHENTICATE, Method.login(user)).text(2));
        } catch (Trouble refused) {
            if (!refused.isLoginOff()) {
                throw refused;
            }
            token = Optional.of("");
        }
    }

    private Message send(Method method, Message request) throws InterruptedException {
        for (int serversLeft = endpoints.size(); true; serversLeft--) {
            BlockingConnection connection = idle.take(endpoints.current())
                    .orElseGet(() -> BlockingConnection.open(
                            endpoints.current(), tls, settings.timeout().dividedBy(3)));
            URI server = connection.server();
            try {
                byte[] headers = method.headers(server, token.orElse(""));
                Message reply = connection.call(headers, request, settings.timeout());
                idle.give(connection);
                if (!Moment.isIn(reply)) {
                    throw Trouble.notEtcd(server);
                }
                return reply;
            } catch (Ended refusal) {
                idle.give(connection);
                Trouble refused = Trouble.refused(server, refusal);
                if (refused.isOfThisServer()) {
                    endpoints.leave(server);
                }
                throw refused;
            } catch (IOException failure) {
                endpoints.leave(server);
                if (serversLeft <= 1 || !Trouble.isBeforeSending(failure)) {
                    throw Trouble.noAnswer(server, failure);
                }
            }
        }
    }

    /** Connections that have nothing to do. */
    private static final class Idle {
        private final Deque<BlockingConnection> connections = new ArrayDeque<>();

        /** One to this server; those to others, and those that have ended, are given up. */
        synchronized Optional<BlockingConnection> take(URI server) {
            while (!connections.isEmpty()) {
                BlockingConnection known = connections.pop();
                if (known.server().equals(server) && isUsable(known)) {
                    return Optional.of(known);
                }
                known.close();
            }
            return Optional.empty();
        }

        private static boolean isUsable(BlockingConnection connection) {
            try {
                return connection.isUsable();
            } catch (IOException broken) {
                return false;
            }
        }

        synchronized void give(BlockingConnection connection) {
            connections.push(connection);
        }

        synchronized void close() {
            connections.forEach(BlockingConnection::close);
            connections.clear();
        }
    }
}
