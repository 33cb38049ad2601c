// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.group;

import dev.tenure.peers.group.PeersSettings.Membership;
import dev.tenure.spi.support.StoreUrl;
import dev.tenure.spi.support.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
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
public record PeerSecurity(Optional<SSLContext> tls, GroupSecret secret) {
    private static final int READY = 1;

    static PeerSecurity of(StoreUrl url, Membership membership) {
        GroupSecret secret = url.option("secret.file").map(GroupSecret::in).orElse(GroupSecret.NONE);
        boolean insecure = url.flag("insecure", false);
        boolean authority = url.option("tls.ca").isPresent();
        boolean certificate = url.option("tls.cert").isPresent();
        boolean key = url.option("tls.key").isPresent();
        if (!authority && !certificate && !key) {
            if (!secret.isNone()) {
                throw StoreUrl.refused(
                        "secret.file needs TLS, because the secret is sent: name tls.ca, and tls.cert and"
                                + " tls.key where a member runs");
            }
            if (!insecure) {
                membership.members().forEach(PeerSecurity::requireLoopback);
            }
            return new PeerSecurity(Optional.empty(), secret);
        }
        boolean mayLackCertificate = membership.me().isEmpty() && !secret.isNone();
        if (!authority || certificate != key || !(certificate || mayLackCertificate)) {
            throw StoreUrl.refused("tls.ca, tls.cert and tls.key belong together: members show each other certificates."
                    + " Only who has a secret.file and no me= does without tls.cert and tls.key");
        }
        if (insecure) {
            throw StoreUrl.refused("the store URL says insecure=true and names certificates");
        }
        return new PeerSecurity(url.tls().map(TlsFiles::context), secret);
    }

    /**
     * What all members of a group know. A caller sends it, over TLS only, to a member whose certificate it has checked.
     *
     * @param text empty where the group has none
     */
    public record GroupSecret(String text) {
        public static final GroupSecret NONE = new GroupSecret("");
        private static final int BYTES_MIN = 16;
        private static final int BYTES_MAX = 1024;

        private static GroupSecret in(String file) {
            GroupSecret secret;
            try {
                secret = new GroupSecret(Files.readString(Path.of(file)).strip());
            } catch (IOException unreadable) {
                throw StoreUrl.refused("the secret file " + file + " cannot be read");
            }
            int bytes = secret.bytes().length;
            if (bytes < BYTES_MIN || bytes > BYTES_MAX) {
                throw StoreUrl.refused("the secret file " + file + " cannot be used: it holds " + bytes
                        + " bytes, and a secret has " + BYTES_MIN + " (fewer can be guessed) to " + BYTES_MAX
                        + ", as from: openssl rand -hex 32");
            }
            return secret;
        }

        public boolean isNone() {
            return text.isEmpty();
        }

        /** Takes the same time wherever the two differ. */
        public boolean matches(GroupSecret other) {
            return MessageDigest.isEqual(bytes(), other.bytes());
        }

        private byte[] bytes() {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String toString() {
            return isNone() ? "no secret" : "***";
        }
    }

    /** Does a caller show a certificate? */
    public boolean hasClientCertificates() {
        return tls.isPresent() && secret.isNone();
    }

    /**
     * As the caller. The certificate of the called must be for the host that was called. With TLS 1.3 a caller hears only by its first read
     * that its own certificate is refused: so it reads before it says anything.
     */
    public Socket secureAsCaller(Socket tcp, Membership.Peer called) throws IOException {
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

    public Socket secureAsCalled(Socket tcp) throws IOException {
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

    private static void requireLoopback(Membership.Peer peer) {
        boolean loopback;
        try {
            loopback = InetAddress.getByName(peer.host()).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            loopback = false;
        }
        if (!loopback) {
            throw StoreUrl.refused("member " + peer + " is on a network, and nothing proves who speaks there: name"
                    + " certificates with tls.ca, tls.cert and tls.key. On a network that nobody else can reach,"
                    + " insecure=true does without");
        }
    }
}
