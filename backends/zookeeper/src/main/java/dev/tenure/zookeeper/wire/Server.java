package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** Where one server listens. */
public record Server(String host, int port) {
    /** @param text {@code host:port}, with brackets around an address of IPv6 */
    public static Server of(String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, colon).replace("[", "").replace("]", "");
        return new Server(host, Integer.parseInt(text.substring(colon + 1)));
    }

    /** Waits until it has accepted a connection, or has not. */
    SocketChannel reach(Duration timeout) throws IOException {
        IOException why = new IOException("the name has no address");
        for (InetAddress address : InetAddress.getAllByName(host)) {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.socket().connect(new InetSocketAddress(address, port), millis(timeout));
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                return channel;
            } catch (IOException refused) {
                channel.close();
                why = refused;
            }
        }
        throw why;
    }

    private static int millis(Duration timeout) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis()));
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
