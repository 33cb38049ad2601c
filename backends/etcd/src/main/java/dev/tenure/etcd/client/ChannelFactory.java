package dev.tenure.etcd.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.TlsFiles;
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
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * Builds the channels of one client, all on one thread, which does not keep the JVM alive. The library retries nothing, sends
 * no pings (servers punish them, and a renewal is one), and calls back on that thread: callbacks must not wait.
 */
final class ChannelFactory implements AutoCloseable {
    /** A page of observed elections, or the answers to a hundred claims, has less. */
    private static final int ANSWER_BYTES_MAX = 64 * 1024 * 1024;

    private static final long NEVER_DAYS = 3650;
    private static final long CLOSING_MILLIS = 500;

    private final Optional<TlsFiles> files;
    private final int connectMillis;
    /** Deprecated for a class that a library on an older netty does not have: this one runs with both. */
    @SuppressWarnings("deprecation")
    private final EventLoopGroup thread = new NioEventLoopGroup(1, new DefaultThreadFactory("tenure-etcd", true));

    private final Optional<Executor> resolver;
    private Optional<SSLContext> tls;

    /** @param resolver looks names up; without one the library does it on threads of its own */
    ChannelFactory(EtcdSettings settings, Optional<Executor> resolver) {
        this.files = settings.tls();
        this.tls = files.map(TlsFiles::context);
        this.connectMillis = (int) Math.max(1, settings.timeout().toMillis() / 3);
        this.resolver = resolver;
    }

    /** @param ended run when the connection has ended, on the thread */
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
        resolver.ifPresent(builder::offloadExecutor);
        Optional<SslContext> context = context();
        context.ifPresentOrElse(builder::sslContext, builder::usePlaintext);
        return new ServerChannel(server, builder, ended);
    }

    /** The one thread: for a client without a loop of its own. */
    Executor thread() {
        return thread;
    }

    /** Runs this on that thread, unless it is cancelled before. */
    Future<?> after(Duration delay, Runnable event) {
        return thread.schedule(event, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Files that were replaced since count from the next connection on; those that cannot be read do not. */
    private synchronized Optional<SslContext> context() {
        try {
            tls = files.map(TlsFiles::context);
        } catch (BackendException unreadable) {
            // perhaps they are being replaced just now
        }
        return tls.map(context -> new JdkSslContext(
                context,
                true,
                null,
                IdentityCipherSuiteFilter.INSTANCE,
                new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2),
                ClientAuth.NONE,
                null,
                false));
    }

    /** From any thread; does not wait. */
    @Override
    public void close() {
        var unused = thread.shutdownGracefully(0, CLOSING_MILLIS, TimeUnit.MILLISECONDS);
    }
}
