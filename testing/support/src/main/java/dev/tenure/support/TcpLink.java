// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A way to one server that can be cut in both directions, in one, or made slow. Connections stay open meanwhile. */
public final class TcpLink implements AutoCloseable {
    private static final int CHUNKS_MAX = 10_000;
    private static final int CHUNK_BYTES_MAX = 16 * 1024;

    private enum Direction {
        REQUESTS,
        ANSWERS
    }

    /** Bytes that came at this time; none mean the end. */
    private static final class Chunk {
        private final long readNanos = System.nanoTime();
        private final byte[] bytes;

        Chunk(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private final TcpProxy proxy;
    private NetworkConditions conditions = NetworkConditions.NORMAL;

    public TcpLink(int serverPort) {
        this.proxy = new TcpProxy(
                serverPort,
                (in, out) -> carry(Direction.REQUESTS, in, out),
                (in, out) -> carry(Direction.ANSWERS, in, out));
    }

    public int port() {
        return proxy.port();
    }

    public String address() {
        return proxy.address();
    }

    /** What was held back is delivered as soon as these conditions allow it. */
    public synchronized void become(NetworkConditions now) {
        conditions = now;
        notifyAll();
    }

    public void cut() {
        become(NetworkConditions.CUT);
    }

    /** What was held back comes through. */
    public void heal() {
        become(NetworkConditions.NORMAL);
    }

    /** All connections end, with whatever was on its way in them. */
    public void closeConnections() {
        proxy.closeConnections();
    }

    /** One thread reads and one writes, so that a delay makes everything late but nothing slow. */
    private void carry(Direction direction, InputStream in, OutputStream out) throws IOException, InterruptedException {
        BlockingQueue<Chunk> underWay = new ArrayBlockingQueue<>(CHUNKS_MAX);
        Thread reading = new Thread(() -> read(in, underWay), "link");
        reading.setDaemon(true);
        reading.start();
        try {
            for (Chunk next = underWay.take(); next.bytes.length > 0; next = underWay.take()) {
                awaitPassage(direction, next.readNanos);
                out.write(next.bytes);
            }
            awaitPassage(direction, System.nanoTime()); // the end of a connection does not travel faster
        } finally {
            reading.interrupt();
        }
    }

    private static void read(InputStream in, BlockingQueue<Chunk> underWay) {
        byte[] buffer = new byte[CHUNK_BYTES_MAX];
        try {
            try {
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    underWay.put(new Chunk(Arrays.copyOf(buffer, read)));
                }
            } catch (IOException broken) {
                underWay.put(new Chunk(new byte[0]));
                return;
            }
            underWay.put(new Chunk(new byte[0]));
        } catch (InterruptedException writerHasEnded) {
            return;
        }
    }

    private synchronized void awaitPassage(Direction direction, long readNanos) throws InterruptedException {
        while (true) {
            boolean open = direction == Direction.REQUESTS ? conditions.requestsPass() : conditions.answersPass();
            if (!open) {
                wait();
                continue;
            }
            long delayNanos =
                    direction == Direction.ANSWERS ? conditions.answersTake().toNanos() : 0;
            long leftNanos = readNanos + delayNanos - System.nanoTime();
            if (leftNanos <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
        }
    }

    @Override
    public void close() {
        proxy.close();
        heal();
    }
}
