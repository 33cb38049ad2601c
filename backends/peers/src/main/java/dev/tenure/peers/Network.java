package dev.tenure.peers;

import dev.tenure.peers.wire.Garbled;
import dev.tenure.peers.wire.Greeting;
import dev.tenure.peers.wire.Hello;
import dev.tenure.peers.wire.Refused;
import dev.tenure.spi.Host;
import dev.tenure.wire.Tls;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;

/**
 * The lines of this process: one for each other member, made by the one with the lower number, and some for those who only look. Blocking
 * sockets with two threads each: a group has at most nine members.
 *
 * <p>Whatever comes to the port before a greeting has been proved costs one of {@link #STRANGERS_MAX} places, two kilobytes and a few
 * seconds, and ends with a closed socket and a count.
 */
final class Network {
    static final int STRANGERS_MAX = 32;
    private static final int GUESTS_MAX = 32;
    private static final int GREETING_MILLIS = 2000;
    private static final Logger LOG = System.getLogger("dev.tenure.peers");

    private final PeersSettings settings;
    private final Introduction introduction;
    private final Host host;
    private final Line.Listener listener;
    private final Sockets sockets;
    private final Optional<ServerSocket> server;
    private final Host.Signal closed;
    private final AtomicInteger strangers = new AtomicInteger();
    private final AtomicLong turnedAway = new AtomicLong();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, SocketLine> lines = new ConcurrentHashMap<>();
    private final Set<SocketLine> guests = ConcurrentHashMap.newKeySet();
    private final Map<String, String> troubles = new ConcurrentHashMap<>();
    private volatile String refused = "";

    Network(PeersSettings settings, Introduction introduction, Host host, Line.Listener listener) {
        this.settings = settings;
        this.introduction = introduction;
        this.host = host;
        this.listener = listener;
        this.sockets = new Sockets(settings.tls().map(Tls::context));
        this.server = settings.membership().me().map(me -> sockets.listen(me, settings.bind()));
        this.closed = host.signal();
    }

    void start() {
        server.ifPresent(socket -> host.perform("tenure-peers-door", () -> accept(socket)));
        for (Membership.Peer peer : settings.membership().others()) {
            boolean calls =
                    settings.membership().me().map(me -> me.id() < peer.id()).orElse(true);
            if (calls) {
                host.perform("tenure-peers-" + peer.name(), () -> keepCalling(peer));
            }
        }
    }

    /** How many came to the port and were sent away. */
    long turnedAway() {
        return turnedAway.get();
    }

    /** Why there is no line to this member. Of two that belong together only one calls the other. */
    Optional<String> trouble(Membership.Peer peer) {
        return lines.containsKey(peer.name())
                ? Optional.empty()
                : Optional.of(troubles.getOrDefault(peer.name(), "it has not called yet" + refused));
    }

    private void accept(ServerSocket socket) {
        while (!closed.isSet()) {
            try {
                Socket stranger = socket.accept();
                if (strangers.incrementAndGet() > STRANGERS_MAX) {
                    strangers.decrementAndGet();
                    turnedAway.incrementAndGet();
                    stranger.close();
                } else {
                    host.perform("tenure-peers-line", () -> receive(stranger));
                }
            } catch (IOException failure) {
                pause(closed.isSet() ? 0 : settings.profile().heartbeat().toNanos());
            }
        }
    }

    private void receive(Socket socket) {
        AtomicBoolean strange = new AtomicBoolean(true);
        guarded(socket, () -> {
            try {
                socket.setSoTimeout(GREETING_MILLIS);
                socket.setTcpNoDelay(true);
                // Somebody who sends a byte now and then would stay for ever by the timeout of a read alone.
                host.post(() -> host.wakeAt(host.nanos() + 2_000_000L * GREETING_MILLIS, () -> {
                    if (strange.get()) {
                        drop(socket);
                    }
                }));
                Greeting greeting = new Greeting(socket.getInputStream(), socket.getOutputStream(), settings.secret());
                Greeting.Known known =
                        greeting.answer(introduction.hello(""), introduction::judgeCaller, this::judgeName);
                strange.set(false);
                strangers.decrementAndGet();
                Optional<Membership.Peer> peer =
                        settings.membership().named(known.theirs().from());
                talk(new SocketLine(peer, known.theirs().instance(), socket, known.channel()), socket, known);
            } catch (Refused | SSLException refusal) {
                refused = ", unless it was refused: " + refusal.getMessage();
                throw refusal;
            } finally {
                if (strange.get()) {
                    strangers.decrementAndGet();
                }
            }
        });
    }

    /** Two processes of one name are told so; one that died without a word makes room for its successor. */
    private void judgeName(Hello theirs) throws Refused {
        if (theirs.from().equals(Hello.GUEST)) {
            if (guests.size() >= GUESTS_MAX) {
                throw new Refused("too many onlookers: " + GUESTS_MAX + " are connected already");
            }
            return;
        }
        SocketLine before = lines.get(theirs.from());
        if (before == null || !before.isOpen() || before.instance() == theirs.instance()) {
            return;
        }
        if (host.nanos() - before.heardNanos()
                < 3 * settings.profile().heartbeat().toNanos()) {
            throw new Refused("another process is member '" + theirs.from()
                    + "' already, and lives: every member needs a name of its own (me=NAME)");
        }
        before.close();
    }

    private void keepCalling(Membership.Peer peer) {
        while (!closed.isSet()) {
            call(peer);
            pause(settings.profile().heartbeat().toNanos() / 3);
        }
    }

    private void call(Membership.Peer peer) {
        Socket socket;
        try {
            socket = sockets.call(peer, GREETING_MILLIS);
        } catch (IOException | RuntimeException failure) {
            noLine(peer, failure);
            return;
        }
        guarded(socket, () -> {
            try {
                Greeting greeting = new Greeting(socket.getInputStream(), socket.getOutputStream(), settings.secret());
                Greeting.Known known = greeting.call(
                        introduction.hello(peer.name()), theirs -> introduction.judgeCalled(theirs, peer));
                talk(
                        new SocketLine(Optional.of(peer), known.theirs().instance(), socket, known.channel()),
                        socket,
                        known);
            } catch (IOException failure) {
                noLine(peer, failure);
                throw failure;
            }
        });
    }

    /** That nobody listens there is usual while a group is started; that the two do not fit together is said at once. */
    private void noLine(Membership.Peer peer, Exception failure) {
        String why = String.valueOf(failure.getMessage());
        boolean misfit = failure instanceof Refused || failure instanceof Garbled || failure instanceof SSLException;
        boolean known = why.equals(troubles.put(peer.name(), why));
        if (misfit && !known) {
            LOG.log(Level.WARNING, "no line to member {0}: {1}", peer, why);
        }
    }

    private void talk(SocketLine line, Socket socket, Greeting.Known known) throws IOException {
        // Every heartbeat brings a frame: who is silent for several of them is gone, whatever the socket says.
        socket.setSoTimeout((int) Math.max(
                4 * settings.profile().heartbeat().toMillis(),
                2 * settings.profile().electionMax().toMillis()));
        line.peer().ifPresent(peer -> {
            troubles.remove(peer.name());
            Optional.ofNullable(lines.put(peer.name(), line)).ifPresent(SocketLine::close);
        });
        if (line.peer().isEmpty()) {
            guests.add(line);
        }
        listener.linked(line, known.theirs().base());
        try {
            line.read(host, listener);
        } finally {
            line.close();
            guests.remove(line);
            line.peer().ifPresent(peer -> lines.remove(peer.name(), line));
            listener.unlinked(line);
        }
    }

    @FunctionalInterface
    private interface Conversation {
        void hold() throws IOException;
    }

    /** Whatever comes over a line, its thread ends in order and its socket is closed. */
    private void guarded(Socket socket, Conversation conversation) {
        open.add(socket);
        try {
            if (!closed.isSet()) {
                conversation.hold();
            }
        } catch (Garbled garbage) {
            turnedAway.incrementAndGet();
            LOG.log(Level.DEBUG, "closed a line that brought {0}", garbage.getMessage());
        } catch (Refused refusal) {
            turnedAway.incrementAndGet();
            LOG.log(Level.DEBUG, "a line was refused: {0}", refusal.getMessage());
        } catch (IOException ended) {
            LOG.log(Level.DEBUG, "a line ended: {0}", ended.getMessage());
        } finally {
            open.remove(socket);
            drop(socket);
        }
    }

    private void pause(long nanos) {
        try {
            closed.await(nanos);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    void close() {
        closed.set();
        server.ifPresent(Network::drop);
        open.forEach(Network::drop);
    }

    private static void drop(java.io.Closeable socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            LOG.log(Level.DEBUG, "closing a socket", gone);
        }
    }
}
