package dev.tenure.jdbc;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * For a connection that listens. Behind every notification the driver looks for another one, with a read that may take one
 * millisecond: that is a third of a whole handover. These sockets answer such a read at once if nothing has arrived.
 *
 * <p>Public because the driver makes it by its name.
 */
public final class EagerSocketFactory extends SocketFactory {
    @Override
    public Socket createSocket() {
        return new EagerSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new SocketException("only for a driver that connects by itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        throw new SocketException("only for a driver that connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw new SocketException("only for a driver that connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        throw new SocketException("only for a driver that connects by itself");
    }

    private static final class EagerSocket extends Socket {
        private volatile boolean peeking;

        @Override
        public synchronized void setSoTimeout(int timeoutMillis) throws SocketException {
            peeking = timeoutMillis == 1;
            super.setSoTimeout(timeoutMillis);
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    refuseToWait();
                    return super.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    refuseToWait();
                    return super.read(bytes, offset, length);
                }

                private void refuseToWait() throws IOException {
                    if (peeking && available() == 0) {
                        throw new SocketTimeoutException("nothing has arrived");
                    }
                }
            };
        }
    }
}
