package dev.tenure.peers;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** Plain lines or, with certificates of both sides, encrypted ones. */
final class Sockets {
    private static final int BACKLOG = 64;

    private final Optional<SSLContext> tls;

    Sockets(Optional<SSLContext> tls) {
        this.tls = tls;
    }

    ServerSocket listen(Membership.Peer me, Optional<String> bind) {
        InetSocketAddress address = new InetSocketAddress(bind.orElse(me.host()), me.port());
        try {
            ServerSocket socket =
                    tls.isPresent() ? tls.get().getServerSocketFactory().createServerSocket() : new ServerSocket();
            if (socket instanceof SSLServerSocket secure) {
                secure.setNeedClientAuth(true);
            }
            socket.setReuseAddress(true);
            if (address.isUnresolved()) {
                throw new IOException("its address is not known here");
            }
            socket.bind(address, BACKLOG);
            return socket;
        } catch (IOException failure) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "member " + me.name() + " cannot listen on " + bind.orElse(me.host()) + ":" + me.port() + ": "
                            + failure.getMessage()
                            + ". Is it running already, or is this another machine? With bind=ADDRESS"
                            + " it listens elsewhere than where the others call",
                    failure);
        }
    }

    /** The name in the certificate of the called must be the one that was called. */
    Socket call(Membership.Peer peer, int timeoutMillis) throws IOException {
        InetSocketAddress address = new InetSocketAddress(peer.host(), peer.port());
        if (address.isUnresolved()) {
            throw new IOException("its address is not known here");
        }
        Socket plain = new Socket();
        try {
            plain.connect(address, timeoutMillis);
            plain.setSoTimeout(timeoutMillis);
            plain.setTcpNoDelay(true);
            if (tls.isEmpty()) {
                return plain;
            }
            SSLSocket secure =
                    (SSLSocket) tls.get().getSocketFactory().createSocket(plain, peer.host(), peer.port(), true);
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            return secure;
        } catch (IOException failure) {
            plain.close();
            throw failure;
        }
    }
}
