// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.TlsFiles;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientTransportFilter;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolConfig;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.grpc.netty.shaded.io.netty.handler.ssl.ApplicationProtocolNames;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.grpc.netty.shaded.io.netty.handler.ssl.JdkSslContext;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

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

    private ServerChannel(URI server, NettyChannelBuilder builder, Runnable ended) {
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

    /**
     * Builds the channels of one client, all on one thread, which does not keep the JVM alive. The library retries nothing, sends
     * no pings (servers punish them, and a renewal is one), and calls back on that thread: callbacks must not wait.
     */
    static final class Factory {
        /** A listing of observed elections, or the answers to a hundred claims, has less. */
        private static final int ANSWER_BYTES_MAX = 64 * 1024 * 1024;

        private static final long NEVER_DAYS = 3650;
        /** For as long it works on after the last task, because a call may begin while its client is closed. */
        private static final long QUIET_MILLIS = 200;

        private static final long CLOSING_MILLIS = 2000;

        private final Optional<TlsFiles> files;
        private final int connectMillis;
        /** Deprecated for a class that a library on an older netty does not have: this one runs with both. */
        @SuppressWarnings("deprecation")
        private final EventLoopGroup thread = new NioEventLoopGroup(1, new DefaultThreadFactory("tenure-etcd", true));

        private Optional<SSLContext> tls;

        Factory(EtcdSettings settings) {
            this.files = settings.tls();
            this.tls = files.map(TlsFiles::context);
            this.connectMillis = (int) Math.max(1, settings.timeout().toMillis() / 3);
        }

        /** @param ended run once the connection has ended, on the thread */
        ServerChannel open(URI server, Runnable ended) {
            NettyChannelBuilder builder = NettyChannelBuilder.forTarget("dns:///" + server.getAuthority())
                    .eventLoopGroup(thread)
                    .channelType(NioSocketChannel.class)
                    .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMillis)
                    .directExecutor()
                    .disableRetry()
                    .disableServiceConfigLookUp()
                    .idleTimeout(NEVER_DAYS, TimeUnit.DAYS)
                    .maxInboundMessageSize(ANSWER_BYTES_MAX);
            context().map(Factory::withHttp2).ifPresentOrElse(builder::sslContext, builder::usePlaintext);
            return new ServerChannel(server, builder, ended);
        }

        /** Files that were replaced since count from the next connection on; those that cannot be read do not. */
        private synchronized Optional<SSLContext> context() {
            try {
                tls = files.map(TlsFiles::context);
            } catch (BackendException unreadable) {
                // perhaps they are being replaced just now
            }
            return tls;
        }

        private static JdkSslContext withHttp2(SSLContext context) {
            ApplicationProtocolConfig http2 = new ApplicationProtocolConfig(
                    Protocol.ALPN,
                    SelectorFailureBehavior.NO_ADVERTISE,
                    SelectedListenerFailureBehavior.ACCEPT,
                    ApplicationProtocolNames.HTTP_2);
            return new JdkSslContext(
                    context, true, null, IdentityCipherSuiteFilter.INSTANCE, http2, ClientAuth.NONE, null, false);
        }

        /** The one thread: for a client without a loop of its own. */
        EventLoopGroup thread() {
            return thread;
        }

        /** Runs this on that thread, unless it is cancelled before. */
        Future<?> after(Duration delay, Runnable event) {
            try {
                return thread.schedule(event, delay.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException closedMeanwhile) {
                return CompletableFuture.completedFuture(null);
            }
        }

        /** From any thread; does not wait. */
        void close() {
            var unused = thread.shutdownGracefully(QUIET_MILLIS, CLOSING_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
