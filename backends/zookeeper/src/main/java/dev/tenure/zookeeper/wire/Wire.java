package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * One session, over as many connections as it takes. What is asked for while there is none waits for the next attempt to get
 * one, and is told that the connection was lost if that fails. Safe for any thread; nothing here waits.
 */
public final class Wire {
    private static final int EVENT = -1;
    private static final int PING = -2;
    private static final int ALL_BELOW = 1;

    /** Called on any thread, one at a time, in the order in which it came about; must not wait. */
    public interface Listener {
        /** Let in, for the first time or again with the same session. What a server said of before may have been missed. */
        void connected();

        /** The servers do not know the session any more. */
        void expired();

        /** The servers do not believe this client to be who it says. */
        void notBelieved();

        /** Something happened to a znode that was watched by {@link Wire#watch(List, Reply)}. */
        void happened(Event event);
    }

    private final Setup setup;
    private final Listener listener;
    private final Watches watches = new Watches();
    private final Attempts attempts;
    /** Sent, and not answered yet; servers keep the order. */
    private final Queue<Ask<?>> unanswered = new ArrayDeque<>();

    private final Queue<Ask<?>> notSent = new ArrayDeque<>();
    private Optional<Line> line = Optional.empty();
    private Greeting greeting;
    private State state = State.OUTSIDE;
    private int lastXid;
    private int answeredXid;
    private volatile long lastZxid;
    private long heardNanos;
    private long saidNanos;

    private enum State {
        OUTSIDE,
        /** The server was asked to let us in. */
        KNOCKED,
        /** It knows the session, and wants a proof of who we are. */
        PROVING,
        INSIDE,
        OVER
    }

    private Wire(Setup setup, Listener listener) {
        this.setup = setup;
        this.listener = listener;
        this.greeting = Greeting.none(setup.timeoutMillis());
        this.attempts = new Attempts(setup, new FromAttempts());
    }

    /** Begins to connect. */
    public static Wire begin(Setup setup, Listener listener) {
        Wire wire = new Wire(setup, listener);
        wire.attempts.begin();
        return wire;
    }

    // ---- getting in

    private final class FromAttempts implements Attempts.Outcome {
        @Override
        public void accepted(Server server, SocketChannel channel) {
            stand(server, channel);
        }

        @Override
        public void refused() {
            stayOutside();
        }
    }

    private synchronized void stayOutside() {
        if (state == State.OUTSIDE) {
            failAll(Code.CONNECTIONLOSS);
        }
    }

    private synchronized void stand(Server server, SocketChannel channel) {
        Line begun = new Line(this, new FromServer(), channel);
        if (state != State.OUTSIDE || line.isPresent()) {
            begun.close();
            return;
        }
        line = Optional.of(begun);
        state = State.KNOCKED;
        begun.put(greeting.request(lastZxid, setup.timeoutMillis()));
        setup.credentials().introduction().ifPresent(begun::put);
        begun.begin(setup.reactor(), server, setup.tls());
        setup.timers().after(attempts.patience(), () -> giveUp(begun));
    }

    private synchronized void giveUp(Line tried) {
        if (isCurrent(tried) && state != State.INSIDE) {
            lose(
                    tried,
                    new IOException("it did not let this client in within "
                            + attempts.patience().toMillis() + " ms"));
        }
    }

    private boolean isCurrent(Line some) {
        return line.filter(now -> now == some).isPresent();
    }

    private void greeted(Line from, Greeting answer) throws IOException {
        boolean known = greeting.sessionId() != 0;
        if (answer.isRefusal() || (known && answer.sessionId() != greeting.sessionId())) {
            end(Code.SESSIONEXPIRED);
            listener.expired();
            return;
        }
        greeting = answer;
        Optional<SaslDialog> dialog = setup.credentials().dialog();
        if (dialog.isPresent()) {
            state = State.PROVING;
            prove(from, dialog.get(), dialog.get().opening());
        } else {
            enter(from);
        }
    }

    private void prove(Line to, SaslDialog dialog, byte[] token) {
        Ask<byte[]> proof = Ask.of(OpType.SASL, out -> out.data(token), RecordReader::data, new Reply<>() {
            @Override
            public void answered(byte[] challenge) {
                try {
                    Optional<byte[]> next = dialog.next(challenge);
                    if (next.isPresent()) {
                        prove(to, dialog, next.get());
                    } else {
                        enter(to);
                    }
                } catch (IOException notTheServer) {
                    disbelieve();
                }
            }

            @Override
            public void refused(Code code) {
                if (state == State.PROVING) {
                    disbelieve();
                }
            }
        });
        put(to, proof);
        to.send();
    }

    private void disbelieve() {
        end(Code.AUTHFAILED);
        listener.notBelieved();
    }

    private void enter(Line in) {
        state = State.INSIDE;
        attempts.succeeded();
        watches.again(lastZxid).forEach(in::put);
        listener.connected();
        while (!notSent.isEmpty()) {
            put(in, notSent.remove());
        }
        said(in);
        setup.timers().after(pulse(), () -> beat(in));
    }

    // ---- staying in

    private Duration pulse() {
        return Duration.ofMillis(greeting.timeoutMillis() / 6);
    }

    /** A server that says nothing for two thirds of the timeout is left; one that was told nothing for a third is pinged. */
    private synchronized void beat(Line current) {
        if (!isCurrent(current)) {
            return;
        }
        long pulseNanos = pulse().toNanos();
        if (setup.clock().getAsLong() - heardNanos > 4 * pulseNanos) {
            lose(current, new IOException("the server does not answer any more"));
            return;
        }
        if (setup.clock().getAsLong() - saidNanos > 2 * pulseNanos) {
            current.put(Ask.frame(PING, OpType.PING, out -> {}));
            said(current);
        }
        setup.timers().after(pulse(), () -> beat(current));
    }

    private void said(Line to) {
        saidNanos = setup.clock().getAsLong();
        to.send();
    }

    // ---- asking

    /** They go out together, in this order. */
    public synchronized void send(List<Ask<?>> asks) {
        if (state == State.OVER) {
            asks.forEach(ask -> ask.failed(Code.SESSIONEXPIRED));
        } else if (state == State.INSIDE) {
            Line to = line.orElseThrow();
            asks.forEach(ask -> put(to, ask));
            said(to);
        } else {
            notSent.addAll(asks);
        }
    }

    private void put(Line to, Ask<?> ask) {
        lastXid = next(lastXid);
        to.put(ask.numbered(lastXid));
        unanswered.add(ask);
    }

    private static int next(int xid) {
        return xid == Integer.MAX_VALUE ? 1 : xid + 1;
    }

    /** Reads, and hears of the next change or of the end of the znode; of nothing if there is no such znode. */
    public void getData(String path, Consumer<Event> watcher, Reply<OpResult.Data> reply) {
        send(List.of(Ask.getDataAndWatch(path, new Reply<>() {
            @Override
            public void answered(OpResult.Data data) {
                watches.once(path, watcher);
                reply.answered(data);
            }

            @Override
            public void refused(Code code) {
                reply.refused(code);
            }
        })));
    }

    /** Hears of the next change of this znode or of its end, once {@link #watch} was called for it. */
    public synchronized void hear(String path, Consumer<Event> watcher) {
        watches.once(path, watcher);
    }

    /** Has the server tell of the next change of each of these znodes, or of its end, or at once that there is none. */
    public void watch(List<String> paths, Reply<Boolean> reply) {
        send(List.of(Ask.of(
                OpType.SET_WATCHES,
                out -> out.longNumber(lastZxid).texts(paths).texts(List.of()).texts(List.of()),
                in -> true,
                reply)));
    }

    /** Hears of every change at and below this path, on this connection and the next. */
    public synchronized void watchAll(String path, Consumer<Event> watcher, Reply<Boolean> reply) {
        watches.always(path, watcher);
        send(List.of(Ask.addWatch(path, ALL_BELOW, reply)));
    }

    // ---- hearing

    private final class FromServer implements Line.Ear {
        @Override
        public void heard(Line from, RecordReader frame) throws IOException {
            if (!isCurrent(from)) {
                return;
            }
            heardNanos = setup.clock().getAsLong();
            if (state == State.KNOCKED) {
                greeted(from, Greeting.read(frame));
            } else {
                dispatch(frame);
            }
        }

        @Override
        public void broken(Line some, IOException why) {
            lose(some, why);
        }
    }

    private void dispatch(RecordReader frame) throws IOException {
        int xid = frame.number();
        long zxid = frame.longNumber();
        int error = frame.number();
        if (xid == EVENT) {
            Event event = Event.read(frame);
            watches.of(event).ifPresentOrElse(watcher -> watcher.accept(event), () -> listener.happened(event));
        } else if (Credentials.isAnswer(xid)) {
            if (Code.of(error) != Code.OK) {
                disbelieve();
            }
        } else if (xid != PING && !Watches.isAnswer(xid)) {
            answer(xid, zxid, error, frame);
        }
    }

    private void answer(int xid, long zxid, int error, RecordReader frame) throws IOException {
        answeredXid = next(answeredXid);
        if (xid != answeredXid || unanswered.isEmpty()) {
            throw new Garbled("an answer to request " + xid + " where that to " + answeredXid + " was due");
        }
        lastZxid = Math.max(lastZxid, zxid);
        unanswered.remove().heard(error, frame);
    }

    // ---- end

    private synchronized void lose(Line lost, IOException why) {
        lost.close();
        if (!isCurrent(lost)) {
            return;
        }
        line = Optional.empty();
        if (state != State.OVER) {
            boolean wasInside = state == State.INSIDE;
            state = State.OUTSIDE;
            failAll(Code.CONNECTIONLOSS);
            attempts.again(wasInside, why);
        }
    }

    private void failAll(Code code) {
        List<Ask<?>> lost = List.copyOf(unanswered);
        List<Ask<?>> late = List.copyOf(notSent);
        unanswered.clear();
        notSent.clear();
        answeredXid = lastXid;
        lost.forEach(ask -> ask.failed(code));
        late.forEach(ask -> ask.failed(code));
    }

    private void end(Code code) {
        state = State.OVER;
        attempts.end();
        line.ifPresent(Line::close);
        line = Optional.empty();
        failAll(code);
    }

    /** Gives up a connection on which nothing is answered; the session goes on at the next server. */
    public synchronized void turnToAnother() {
        line.ifPresent(deaf -> lose(deaf, new IOException("the server did not answer in time")));
    }

    /** Ends the connection and says nothing to the servers: the session lapses in its own time. */
    public synchronized void vanish() {
        if (state != State.OVER) {
            end(Code.SESSIONEXPIRED);
        }
    }

    /** Ends the session at the servers. */
    public synchronized void close(Reply<Boolean> reply) {
        if (state != State.INSIDE) {
            vanish();
            reply.refused(Code.CONNECTIONLOSS);
            return;
        }
        send(List.of(Ask.of(OpType.CLOSE, out -> {}, in -> true, new Reply<>() {
            @Override
            public void answered(Boolean closed) {
                vanish();
                reply.answered(closed);
            }

            @Override
            public void refused(Code code) {
                vanish();
                reply.refused(code);
            }
        })));
    }

    public synchronized boolean isOver() {
        return state == State.OVER;
    }

    public synchronized long sessionId() {
        return greeting.sessionId();
    }

    /** What the servers have granted. */
    public synchronized int timeoutMillis() {
        return greeting.timeoutMillis();
    }

    /** Why the last attempt to get in has failed, at each server that was tried. */
    public List<String> troubles() {
        return attempts.troubles();
    }
}
