package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One session, over as many connections as it takes. What is asked for while there is none waits for the next attempt to get
 * one, and is told that the connection was lost if that fails. Safe for any thread; nothing here waits.
 */
public final class Wire {
    private static final int EVENT = -1;
    private static final int PING = -2;
    private static final int ALL_BELOW = 1;

    private final Setup setup;
    private final WireListener listener;
    private final Watches watches = new Watches();
    private final Attempts attempts;
    private final Exchange exchange = new Exchange();
    private final Pulse pulse;
    private Optional<Line> line = Optional.empty();
    private Greeting greeting;
    private State state = State.OUTSIDE;

    private enum State {
        OUTSIDE,
        /** The server was asked to let us in. */
        KNOCKED,
        /** It knows the session, and wants a proof of who we are. */
        PROVING,
        INSIDE,
        OVER
    }

    private Wire(Setup setup, WireListener listener) {
        this.setup = setup;
        this.listener = listener;
        this.pulse = new Pulse(setup.clock());
        this.greeting = Greeting.none(setup.timeoutMillis());
        this.attempts = new Attempts(setup, this::stand, this::stayOutside);
    }

    /** Begins to connect. */
    public static Wire begin(Setup setup, WireListener listener) {
        Wire wire = new Wire(setup, listener);
        wire.attempts.begin();
        return wire;
    }

    // ---- getting in

    private final class Ear implements Line.Ear {
        @Override
        public void heard(Line from, RecordReader frame) throws IOException {
            pulse.heard();
            if (isCurrent(from) && state == State.KNOCKED) {
                greeted(from, Greeting.read(frame));
            } else if (isCurrent(from)) {
                dispatch(frame);
            }
        }

        @Override
        public void broken(Line some, IOException why) {
            lose(some, why);
        }
    }

    private synchronized void stayOutside() {
        if (state == State.OUTSIDE) {
            exchange.fail(Code.CONNECTIONLOSS);
        }
    }

    private synchronized void stand(Server server, SocketChannel channel) {
        Line begun = new Line(this, new Ear(), channel);
        if (state != State.OUTSIDE || line.isPresent()) {
            begun.close();
            return;
        }
        line = Optional.of(begun);
        state = State.KNOCKED;
        begun.put(greeting.request(exchange.lastZxid(), setup.timeoutMillis()));
        setup.credentials().introduction().ifPresent(begun::put);
        begun.begin(setup.reactor(), server, setup.tls());
        setup.timers().after(attempts.patience(), () -> giveUp(begun));
    }

    private synchronized void giveUp(Line tried) {
        if (isCurrent(tried) && state != State.INSIDE) {
            lose(tried, new IOException("it did not let this client in"));
        }
    }

    private boolean isCurrent(Line some) {
        return line.isPresent() && line.get() == some;
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
        if (dialog.isEmpty()) {
            enter(from);
            return;
        }
        state = State.PROVING;
        Consumer<Ask<?>> send = word -> {
            exchange.put(from, word);
            said(from);
        };
        new Proof(dialog.get(), send, () -> enter(from), this::disbelieve).begin();
    }

    private void disbelieve() {
        if (line.isPresent()) { // else the connection broke before the answer came
            end(Code.AUTHFAILED);
            listener.notBelieved();
        }
    }

    private void enter(Line in) {
        state = State.INSIDE;
        attempts.succeeded();
        watches.again(exchange.lastZxid()).forEach(in::put);
        listener.connected();
        exchange.putAllKept(in);
        said(in);
        setup.timers().after(interval(), () -> beat(in));
    }

    // ---- staying in

    private Duration interval() {
        return Duration.ofMillis(greeting.timeoutMillis() / 6);
    }

    /** A server that says nothing for two thirds of the timeout is left; one that was told nothing for a third is pinged. */
    private synchronized void beat(Line current) {
        if (!isCurrent(current)) {
            return;
        }
        if (pulse.isSilent(interval())) {
            lose(current, new IOException("the server does not answer any more"));
            return;
        }
        if (pulse.isIdle(interval())) {
            current.put(Ask.frame(PING, OpType.PING, out -> {}));
            said(current);
        }
        setup.timers().after(interval(), () -> beat(current));
    }

    private void said(Line to) {
        pulse.said();
        to.send();
    }

    // ---- asking

    /** They go out together, in this order. */
    public synchronized void send(List<Ask<?>> asks) {
        if (state == State.OVER) {
            asks.forEach(ask -> ask.failed(Code.SESSIONEXPIRED));
        } else if (state == State.INSIDE) {
            Line to = line.orElseThrow();
            for (Ask<?> ask : asks) {
                exchange.put(to, ask);
            }
            said(to);
        } else {
            exchange.keep(asks);
        }
    }

    /** Reads, and hears of the next change or of the end of the znode; of nothing if there is no such znode. */
    public void getData(String path, Consumer<Event> watcher, Reply<OpResult.Data> reply) {
        Consumer<OpResult.Data> read = data -> {
            watches.once(path, watcher);
            reply.answered(data);
        };
        send(List.of(Ask.getDataAndWatch(path, Reply.of(read, reply::refused))));
    }

    /** Hears of the next change of this znode or of its end, once {@link #watch} was called for it. */
    public synchronized void hear(String path, Consumer<Event> watcher) {
        watches.once(path, watcher);
    }

    /** Has the server tell of the next change of each of these znodes, or of its end, or at once that there is none. */
    public void watch(List<String> paths, Reply<Boolean> reply) {
        send(List.of(Ask.setWatches(exchange.lastZxid(), paths, reply)));
    }

    /** Hears of every change at and below this path, on this connection and the next. */
    public synchronized void watchAll(String path, Consumer<Event> watcher, Reply<Boolean> reply) {
        watches.always(path, watcher);
        send(List.of(Ask.addWatch(path, ALL_BELOW, reply)));
    }

    // ---- hearing

    private void dispatch(RecordReader frame) throws IOException {
        int xid = frame.number();
        long zxid = frame.longNumber();
        int error = frame.number();
        if (xid == EVENT) {
            Event event = Event.read(frame);
            watches.of(event).orElse(listener::happened).accept(event);
        } else if (Credentials.isAnswer(xid)) {
            if (Code.of(error) != Code.OK) {
                disbelieve();
            }
        } else if (xid != PING && !Watches.isAnswer(xid)) {
            exchange.heard(xid, zxid, error, frame);
        }
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
            exchange.fail(Code.CONNECTIONLOSS);
            attempts.again(wasInside, why);
        }
    }

    private void end(Code code) {
        state = State.OVER;
        attempts.end();
        line.ifPresent(Line::close);
        line = Optional.empty();
        exchange.fail(code);
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
        Consumer<Boolean> over = closed -> {
            vanish();
            reply.answered(closed);
        };
        Consumer<Code> lost = code -> {
            vanish();
            reply.refused(code);
        };
        send(List.of(Ask.of(OpType.CLOSE, out -> {}, in -> true, Reply.of(over, lost))));
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
