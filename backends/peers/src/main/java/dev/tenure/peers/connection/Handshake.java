// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.connection;

import dev.tenure.peers.group.PeerSecurity.GroupSecret;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.peers.group.PeersSettings.Membership;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.Socket;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLSocket;

/**
 * How the two sides of a connection introduce themselves, once TLS stands: the caller sends a {@link Hello}, with the secret of the group
 * if it has one; the called answers with its own, without the secret, or with a {@link Refusal}.
 */
public final class Handshake {
    /** The name of a caller that belongs to no group and only asks. */
    static final String OBSERVER = "";

    private static final int BYTES_MAX = 4 * 1024;
    private static final int DNS_NAME = 2;

    private final PeersSettings settings;
    private final long instance;
    private final long base;

    /** @param base the lowest term in which this process begins an election that it does not know */
    public Handshake(PeersSettings settings, Host host, long base) {
        this.settings = settings;
        this.instance = host.random();
        this.base = base;
    }

    /** What a side may say first. */
    sealed interface Opening {}

    /**
     * @param group what both must agree on: members, algorithm, times. Shown to people when it differs
     * @param from the name of a member, or {@link #OBSERVER}
     * @param to the member that is meant
     * @param instance tells this process from another one of the same name
     */
    record Hello(String group, String from, String to, long instance, long base, GroupSecret secret)
            implements Opening {}

    /** @param sentence for people; nothing else is made of it */
    record Refusal(String sentence) implements Opening {}

    /** Looks at a caller that has proved who it is. */
    @FunctionalInterface
    interface Admission {
        void admit(Hello theirs) throws ProtocolException;
    }

    Hello call(Socket socket, FrameCodec frames, Membership.Peer called) throws IOException {
        send(frames, hello(called.name(), settings.security().secret()));
        Hello theirs = receive(frames);
        requireSameGroup(theirs);
        if (!theirs.from().equals(called.name())) {
            throw new ProtocolException("at " + called + " answers member '" + theirs.from() + "'");
        }
        requireCertificate(socket, theirs.from());
        return theirs;
    }

    /** Nothing of the group is told before the caller has proved that it belongs to it. */
    Hello answer(Socket socket, FrameCodec frames, Admission admission) throws IOException {
        try {
            Hello theirs = receive(frames);
            requireSecret(theirs.secret());
            requireSameGroup(theirs);
            String me = settings.membership().self().name();
            if (!theirs.to().equals(me)) {
                throw new ProtocolException("member '" + theirs.to() + "' was called, but this is '" + me
                        + "': the addresses in the store URL differ from what runs there");
            }
            if (theirs.from().equals(me)) {
                throw new ProtocolException("another process is member '" + me
                        + "' already: every member needs a name of its own (me=NAME)");
            }
            requireCertificate(socket, theirs.from());
            admission.admit(theirs);
            send(frames, hello(theirs.from(), GroupSecret.NONE));
            return theirs;
        } catch (ProtocolException refusal) {
            send(frames, new Refusal(String.valueOf(refusal.getMessage())));
            throw refusal;
        }
    }

    private static void send(FrameCodec frames, Opening opening) throws IOException {
        frames.write(Opening.class, opening);
        frames.flush();
    }

    /** @throws ProtocolException if it is a refusal too */
    private static Hello receive(FrameCodec frames) throws IOException {
        Opening opening = frames.read(Opening.class, BYTES_MAX);
        if (opening instanceof Refusal refusal) {
            throw new ProtocolException(refusal.sentence());
        }
        return (Hello) opening;
    }

    private Hello hello(String to, GroupSecret secret) {
        String from = settings.membership().me().map(Membership.Peer::name).orElse(OBSERVER);
        return new Hello(settings.agreement(), from, to, instance, base, secret);
    }

    private void requireSecret(GroupSecret theirs) throws ProtocolException {
        GroupSecret mine = settings.security().secret();
        if (mine.isNone() != theirs.isNone()) {
            throw new ProtocolException(
                    "one of the two has a secret and the other has none: name the same secret.file everywhere");
        }
        if (!mine.matches(theirs)) {
            throw new ProtocolException(
                    "the two do not know the same secret: compare what secret.file names on both machines");
        }
    }

    private void requireSameGroup(Hello theirs) throws ProtocolException {
        if (!theirs.group().equals(settings.agreement())) {
            throw new ProtocolException("another group: one side has '" + settings.agreement() + "' and the other '"
                    + theirs.group() + "'; members, algorithm and profile must be the same everywhere");
        }
    }

    /** Where callers show certificates, a member is the one that its certificate names; any certificate may be an observer's. */
    private void requireCertificate(Socket socket, String name) throws IOException {
        if (settings.security().hasClientCertificates()
                && !name.equals(OBSERVER)
                && socket instanceof SSLSocket tls
                && tls.getSession().getPeerCertificates()[0] instanceof X509Certificate shown
                && !names(shown).contains(name)) {
            throw new ProtocolException("the certificate of member '" + name + "' is not its own: it names "
                    + names(shown) + ", and needs CN=" + name + " or the DNS name " + name);
        }
    }

    private static Set<String> names(X509Certificate certificate) throws ProtocolException {
        Set<String> names = new HashSet<>();
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    names.add(part.getValue().toString());
                }
            }
            Optional.ofNullable(certificate.getSubjectAlternativeNames()).orElse(List.of()).stream()
                    .filter(name -> name.get(0).equals(DNS_NAME))
                    .forEach(name -> names.add(name.get(1).toString()));
        } catch (InvalidNameException | CertificateParsingException unreadable) {
            throw new ProtocolException("a certificate whose names cannot be read");
        }
        return names;
    }
}
