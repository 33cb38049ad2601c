package dev.tenure.etcd.client;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientTransportFilter;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;

/**
 * One channel to one server. It is used for one connection: when that has ended, the channel is left for a new one, so that
 * the library's own pauses between connections never delay anybody. Safe for any thread.
 */
final class ServerChannel {
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

    private final URI server;
    private final ManagedChannel channel;
    private volatile boolean ready;
    private volatile boolean over;

    /** @param ended run once the connection has ended, on a thread of the library */
    ServerChannel(URI server, NettyChannelBuilder builder, Runnable ended) {
        this.server = server;
        this.channel = builder.addTransportFilter(new ClientTransportFilter() {
                    @Override
                    public Attributes transportReady(Attributes attributes) {
                        ready = true;
                        return attributes;
                    }

                    @Override
                    public void transportTerminated(Attributes attributes) {
                        over = true;
                        ended.run();
                    }
                })
                .build();
    }

    URI server() {
        return server;
    }

    /** Could a request have been sent on it? Before that every failure is certain to have had no effect. */
    boolean wasReady() {
        return ready;
    }

    /** Does it take new calls? */
    boolean isUsable() {
        return !over && !channel.isShutdown();
    }

    <Q, A> ClientCall<Q, A> call(MethodDescriptor<Q, A> method, CallOptions options) {
        return channel.newCall(method, options);
    }

    /** @param token of the login; empty without one */
    static Metadata headers(String token) {
        Metadata headers = new Metadata();
        // With it a server that has lost its cluster refuses at once, and ends its streams.
        headers.put(HAS_LEADER, "true");
        if (!token.isEmpty()) {
            headers.put(TOKEN, token);
        }
        return headers;
    }

    /** Takes no new calls, and ends with the last one that it has. */
    void leave() {
        channel.shutdown();
    }

    void close() {
        channel.shutdownNow();
    }
}
