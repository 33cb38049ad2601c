package dev.tenure.wire;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Selector;
import java.util.List;

/** Waits for the network, for any number of connections, on one thread, until it is closed. */
public final class Reactor implements Runnable, Closeable {
    private final Selector selector;

    /** Whose channel it is. */
    public interface Party {
        /** The network has something, or takes something. */
        void ready();

        /** Nothing more comes. */
        void close();
    }

    private Reactor(Selector selector) {
        this.selector = selector;
    }

    public static Reactor open() {
        return new Reactor(openSelector());
    }

    /** For somebody who waits alone. */
    public static Selector openSelector() {
        try {
            return Selector.open();
        } catch (IOException noneLeft) {
            throw new UncheckedIOException("no selector could be opened: are there too many open files?", noneLeft);
        }
    }

    /** Is it of use? */
    public boolean isOpen() {
        return selector.isOpen();
    }

    /** Whoever registers a channel with it attaches its {@link Party}. */
    public Selector selector() {
        return selector;
    }

    @Override
    public void run() {
        try {
            while (selector.isOpen()) {
                selector.select(key -> ((Party) key.attachment()).ready());
            }
        } catch (ClosedSelectorException closed) {
            // That is how it ends.
        } catch (IOException broken) {
            throw new UncheckedIOException("waiting for the network failed", broken);
        } finally {
            close();
        }
    }

    /** With all its connections. Its own thread closes it too, when it ends. */
    @Override
    public synchronized void close() {
        if (selector.isOpen()) {
            List.copyOf(selector.keys()).forEach(key -> ((Party) key.attachment()).close());
        }
        try {
            selector.close();
        } catch (IOException alreadyBroken) {
            throw new UncheckedIOException(alreadyBroken);
        }
    }
}
