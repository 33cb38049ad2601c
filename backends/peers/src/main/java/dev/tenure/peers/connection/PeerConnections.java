// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.connection;

import dev.tenure.peers.group.PeersSettings;
import dev.tenure.peers.group.PeersSettings.Membership;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.Host;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;

/**
 * The connections of this process: one for each other member, made by the one with the lower number, and some for observers. Blocking
 * sockets with two threads each: a group has at most nine members. What they bring is handled on the loop, in its order.
 *
 * <p>Whatever comes to the port costs one of {@link #STRANGERS_MAX} places, a few kilobytes and a few seconds until it has introduced
 * itself. If it fails to, the socket is closed, the attempt is counted, and each reason is logged once.
 */
public final class PeerConnections {
    public static final int STRANGERS_MAX = 32;
    public static final int HANDSHAKE_MILLIS = 4000;
    private static final int CONNECT_MILLIS = 2000;
    private static final int BACKLOG = 64;
    private static final int OBSERVERS_MAX = 32;
    private static final int WARNINGS_MAX = 64;
    private static final int SENTENCE_CHARS_MAX = 400;
    private static final Logger LOG = System.getLogger("dev.tenure.peers");

    private final PeersSettings settings;
    private final Handshake handshake;
    private final Host host;
    private final PeerConnection.Listener listener;
    private final Optional<ServerSocket> server;
    private final Host.Signal closed;
    private final Semaphore places = new Semaphore(STRANGERS_MAX);
    private final AtomicLong turnedAway = new AtomicLong();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, SocketConnection> members = new ConcurrentHashMap<>();
    private final Set<SocketConnection> observers = ConcurrentHashMap.newKeySet();
    private final Map<String, String> failures = new ConcurrentHashMap<>();
    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private volatile String refused = "";

    public PeerConnections(PeersSettings settings, Handshake handshake, Host host, PeerConnection.Listener listener) {
        this.settings = settings;
        this.handshake = handshake;
        this.host = host;
        this.listener = listener;
        this.server = settings.membership().me().map(me -> listen(me, settings.bind()));
        this.closed = host.signal();
    }

    private static ServerSocket listen(Membership.Peer me, Optional<String> bind) {
        String host = bind.orElse(me.host());
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(host, me.port()), BACKLOG);
            return socket;
        } catch (IOException failure) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "member " + me.name() + " cannot listen on " + host + ":" + me.port() + ": " + failure.getMessage()
                            + ". Is it running already, or is this another machine? With bind=ADDRESS"
                            + " it listens elsewhere than where the others call",
                    failure);
        }
    }

    public void start() {
        server.ifPresent(socket -> host.runDuty("tenure-peers-accept", () -> accept(socket)));
        for (Membership.Peer peer : settings.membership().others()) {
            boolean calls =
                    settings.membership().me().map(me -> me.id() < peer.id()).orElse(true);
            if (calls) {
                host.runDuty("tenure-peers-" + peer.name(), () -> keepCalling(peer));
            }
        }
    }

    /** How many came to the port and were sent away. */
    public long turnedAway() {
        return turnedAway.get();
    }

    /** How many connections are open that have not introduced themselves yet. */
    public int strangers() {
        return STRANGERS_MAX - places.availablePermits();
    }

    /** Why there is no connection to this member. Of two members only one calls the other. */
    public Optional<String> failure(Membership.Peer peer) {
        return members.containsKey(peer.name())
                ? Optional.empty()
                : Optional.of(failures.getOrDefault(peer.name(), "it has not called yet" + refused));
    }

    private void accept(ServerSocket socket) {
        while (!closed.isSet()) {
            try {
                Socket stranger = socket.accept();
                if (places.tryAcquire()) {
                    host.runDuty("tenure-peers-called", () -> converse(stranger, Optional.empty()));
                } else {
                    turnedAway.incrementAndGet();
                    drop(stranger);
                }
            } catch (IOException failure) {
                pause(closed.isSet() ? 0 : settings.profile().heartbeat().toNanos());
            }
        }
    }

    /** Two processes of one name are told so; one that died without a word makes room for its successor. */
    private void requireFreeName(Handshake.Hello theirs) throws ProtocolException {
        if (theirs.from().equals(Handshake.OBSERVER)) {
            if (observers.size() >= OBSERVERS_MAX) {
                throw new ProtocolException("too many observers: " + OBSERVERS_MAX + " are connected already");
            }
            return;
        }
        Optional<SocketConnection> before = Optional.ofNullable(members.get(theirs.from()))
                .filter(other -> other.theirs().instance() != theirs.instance());
        long latelyNanos = host.nanos() - 3 * settings.profile().heartbeat().toNanos();
        if (before.filter(other -> other.hasSpokenSince(latelyNanos)).isPresent()) {
            throw new ProtocolException("another process is member '" + theirs.from()
                    + "' already, and lives: every member needs a name of its own (me=NAME)");
        }
        before.ifPresent(SocketConnection::close);
    }

    private void keepCalling(Membership.Peer peer) {
        while (!closed.isSet()) {
            converse(new Socket(), Optional.of(peer));
            pause(settings.profile().heartbeat().toNanos() / 3);
        }
    }

    /**
     * Introduces both sides to each other, and then takes what comes until the connection ends. Whatever happens, the thread returns and
     * the socket is closed.
     *
     * @param called nobody, if the other side calls
     */
    private void converse(Socket tcp, Optional<Membership.Peer> called) {
        String about = called.map(peer -> "no connection to member " + peer + ": ")
                .orElseGet(() -> "a connection from " + tcp.getInetAddress().getHostAddress() + " to port "
                        + tcp.getLocalPort() + " was closed: ");
        AtomicBoolean introduced = new AtomicBoolean();
        AtomicBoolean late = new AtomicBoolean();
        open.add(tcp);
        try {
            if (closed.isSet()) {
                return;
            }
            tcp.setTcpNoDelay(true);
            // By the timeout of a read, a side that sends a byte now and then would stay for ever.
            host.post(() -> host.wakeAt(host.nanos() + HANDSHAKE_MILLIS * 1_000_000L, () -> {
                if (!introduced.get()) {
                    late.set(true);
                    drop(tcp);
                }
            }));
            SocketConnection connection = introduce(tcp, called);
            introduced.set(true);
            called.ifPresentOrElse(peer -> warned.removeIf(sentence -> sentence.startsWith(about)), places::release);
            talk(connection, tcp);
        } catch (IOException | RuntimeException failure) {
            String why = late.get()
                    ? "it has not introduced itself within " + HANDSHAKE_MILLIS / 1000 + " s"
                    : reason(failure);
            boolean first = (late.get() || isMisfit(failure))
                    && !closed.isSet()
                    && warned.size() < WARNINGS_MAX
                    && warned.add(about + why);
            LOG.log(first ? Level.WARNING : Level.DEBUG, about + why);
            if (called.isPresent()) {
                failures.put(called.get().name(), why);
            } else if (!introduced.get()) {
                refused = ", unless it was refused: " + why;
            }
        } finally {
            if (called.isEmpty() && !introduced.get()) {
                places.release();
                turnedAway.incrementAndGet();
            }
            open.remove(tcp);
            drop(tcp);
        }
    }

    private SocketConnection introduce(Socket tcp, Optional<Membership.Peer> called) throws IOException {
        Socket socket;
        if (called.isPresent()) {
            tcp.connect(new InetSocketAddress(called.get().host(), called.get().port()), CONNECT_MILLIS);
            socket = settings.security().secureAsCaller(tcp, called.get());
        } else {
            socket = settings.security().secureAsCalled(tcp);
        }
        FrameCodec frames = new FrameCodec(socket.getInputStream(), socket.getOutputStream());
        Handshake.Hello theirs = called.isPresent()
                ? handshake.call(socket, frames, called.get())
                : handshake.answer(socket, frames, this::requireFreeName);
        return new SocketConnection(settings.membership().named(theirs.from()), theirs, tcp, frames);
    }

    /** That a side is not there, or goes away, is usual; that the two do not fit together is not. */
    private static boolean isMisfit(Exception failure) {
        boolean gone = failure.getCause() instanceof EOFException || failure.getCause() instanceof SocketException;
        return !gone
                && (failure instanceof ProtocolException
                        || failure instanceof SSLException
                        || failure instanceof RuntimeException);
    }

    /** A sentence for people. Parts of it may come from anybody: it must not be able to draw on a terminal. */
    static String reason(Exception failure) {
        String sentence = Optional.ofNullable(failure.getMessage()).orElse("it has closed the connection");
        if (failure instanceof UnknownHostException) {
            sentence = "its address is not known here";
        } else if (failure instanceof SSLException) {
            Throwable root = failure;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            sentence = "TLS failed: " + root.getMessage();
            if (failure.getClass() == SSLException.class) {
                sentence += ". One of the two may speak without TLS: name tls.ca, tls.cert and tls.key everywhere";
            }
        }
        return sentence.substring(0, Math.min(sentence.length(), SENTENCE_CHARS_MAX))
                .replaceAll("[^ -~]", "?");
    }

    private void talk(SocketConnection connection, Socket tcp) throws IOException {
        // Every heartbeat brings a frame: a side that is silent for several of them is gone, whatever the socket says.
        tcp.setSoTimeout((int) Math.max(
                4 * settings.profile().heartbeat().toMillis(),
                2 * settings.profile().electionMax().toMillis()));
        if (connection.peer().isPresent()) {
            String name = connection.peer().get().name();
            failures.remove(name);
            Optional.ofNullable(members.put(name, connection)).ifPresent(SocketConnection::close);
        } else {
            observers.add(connection);
        }
        host.post(() -> listener.linked(connection, connection.theirs().base()));
        try {
            connection.read(host, listener);
        } finally {
            connection.close();
            observers.remove(connection);
            connection.peer().ifPresent(peer -> members.remove(peer.name(), connection));
            host.post(() -> listener.unlinked(connection));
        }
    }

    private void pause(long nanos) {
        try {
            closed.await(nanos);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    public void close() {
        closed.set();
        server.ifPresent(PeerConnections::drop);
        open.forEach(PeerConnections::drop);
    }

    static void drop(Closeable open) {
        try {
            open.close();
        } catch (IOException gone) {
            LOG.log(Level.DEBUG, "closing a socket or a file", gone);
        }
    }
}
