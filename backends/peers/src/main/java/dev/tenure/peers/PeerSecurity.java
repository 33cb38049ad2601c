package dev.tenure.peers;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.support.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * How the two sides of a connection know each other. The called always shows a certificate; the caller shows one too or, where the group
 * has a secret, sends that.
 *
 * @param tls none for plain TCP, which has to stay on this machine or be asked for
 */
record PeerSecurity(Optional<SSLContext> tls, GroupSecret secret) {
    private static final int READY = 1;

    static PeerSecurity of(BackendUrl url, Membership membership) {
        Optional<Path> authorities = url.option("tls.ca").map(Path::of);
        Optional<Path> certificate = url.option("tls.cert").map(Path::of);
        Optional<Path> key = url.option("tls.key").map(Path::of);
        GroupSecret secret = url.option("secret.file").map(GroupSecret::in).orElse(GroupSecret.NONE);
        boolean insecure = isInsecure(url);
        if (authorities.isEmpty() && certificate.isEmpty() && key.isEmpty()) {
            if (!secret.isNone()) {
                throw Trouble.refused("secret.file needs TLS, because the secret is sent: name tls.ca, and tls.cert and"
                        + " tls.key where a member runs");
            }
            if (!insecure) {
                membership.members().forEach(PeerSecurity::requireLoopback);
            }
            return new PeerSecurity(Optional.empty(), secret);
        }
        boolean listens = membership.me().isPresent();
        if (authorities.isEmpty()
                || certificate.isPresent() != key.isPresent()
                || (certificate.isEmpty() && (listens || secret.isNone()))) {
            throw Trouble.refused("tls.ca, tls.cert and tls.key belong together: members show each other certificates."
                    + " Only who has a secret.file and no me= does without tls.cert and tls.key");
        }
        if (insecure) {
            throw Trouble.refused("the store URL says insecure=true and names certificates");
        }
        return new PeerSecurity(Optional.of(new TlsFiles(authorities, certificate, key, "").context()), secret);
    }

    /** Does a caller show a certificate? */
    boolean hasClientCertificates() {
        return tls.isPresent() && secret.isNone();
    }

    /**
     * As the caller. The certificate of the called must be for the host that was called. With TLS 1.3 a caller hears only by its first read
     * that its own certificate is refused: so it reads before it says anything.
     */
    Socket secureAsCaller(Socket tcp, Membership.Peer called) throws IOException {
        if (tls.isEmpty()) {
            return tcp;
        }
        SSLSocket secured =
                (SSLSocket) tls.get().getSocketFactory().createSocket(tcp, called.host(), called.port(), true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        if (secured.getInputStream().read() != READY) {
            throw new IOException("it has closed the connection");
        }
        return secured;
    }

    Socket secureAsCalled(Socket tcp) throws IOException {
        if (tls.isEmpty()) {
            return tcp;
        }
        String caller = tcp.getInetAddress().getHostAddress();
        SSLSocket secured = (SSLSocket) tls.get().getSocketFactory().createSocket(tcp, caller, tcp.getPort(), true);
        secured.setUseClientMode(false);
        secured.setNeedClientAuth(hasClientCertificates());
        secured.startHandshake();
        secured.getOutputStream().write(READY);
        return secured;
    }

    private static boolean isInsecure(BackendUrl url) {
        String value = url.option("insecure").orElse("false");
        if (!value.equals("true") && !value.equals("false")) {
            throw Trouble.refused("option insecure '" + value + "' must be true or false");
        }
        return value.equals("true");
    }

    private static void requireLoopback(Membership.Peer peer) {
        boolean loopback;
        try {
            loopback = InetAddress.getByName(peer.host()).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            loopback = false;
        }
        if (!loopback) {
            throw Trouble.refused("member " + peer + " is on a network, and nothing proves who speaks there: name"
                    + " certificates with tls.ca, tls.cert and tls.key. On a network that nobody else can reach,"
                    + " insecure=true does without");
        }
    }
}
