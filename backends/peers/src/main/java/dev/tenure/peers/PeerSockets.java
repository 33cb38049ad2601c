package dev.tenure.peers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Optional;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * TCP connections, and TLS on top of them. The TCP socket stays known: to close that one never waits, while closing a TLS socket waits for
 * a writer.
 */
final class PeerSockets {
    private static final int BACKLOG = 64;
    private static final int READY = 1;

    private final PeerSecurity security;

    PeerSockets(PeerSecurity security) {
        this.security = security;
    }

    static ServerSocket listen(Membership.Peer me, Optional<String> bind) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(resolved(bind.orElse(me.host()), me.port()), BACKLOG);
            return socket;
        } catch (IOException failure) {
            throw Trouble.refused(
                    "member " + me.name() + " cannot listen on " + bind.orElse(me.host()) + ":" + me.port() + ": "
                            + failure.getMessage()
                            + ". Is it running already, or is this another machine? With bind=ADDRESS"
                            + " it listens elsewhere than where the others call",
                    failure);
        }
    }

    static Socket connect(Membership.Peer peer, int timeoutMillis) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(resolved(peer.host(), peer.port()), timeoutMillis);
            return socket;
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
    }

    private static InetSocketAddress resolved(String host, int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new IOException("its address is not known here");
        }
        return address;
    }

    /**
     * As the caller. The certificate of the called must be for the host that was called. With TLS 1.3 a caller hears only by its first read
     * that its own certificate is refused: so it reads before it says anything.
     */
    Socket secureAsCaller(Socket tcp, Membership.Peer called) throws IOException {
        if (security.tls().isEmpty()) {
            return tcp;
        }
        SSLSocket tls = (SSLSocket)
                security.tls().get().getSocketFactory().createSocket(tcp, called.host(), called.port(), true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        if (tls.getInputStream().read() != READY) {
            throw new IOException("it has closed the connection");
        }
        return tls;
    }

    Socket secureAsCalled(Socket tcp) throws IOException {
        if (security.tls().isEmpty()) {
            return tcp;
        }
        String caller = tcp.getInetAddress().getHostAddress();
        SSLSocket tls =
                (SSLSocket) security.tls().get().getSocketFactory().createSocket(tcp, caller, tcp.getPort(), true);
        tls.setUseClientMode(false);
        tls.setNeedClientAuth(security.hasClientCertificates());
        tls.startHandshake();
        tls.getOutputStream().write(READY);
        return tls;
    }
}
