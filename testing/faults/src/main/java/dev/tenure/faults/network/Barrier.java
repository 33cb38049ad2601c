package dev.tenure.faults.network;

import java.util.concurrent.TimeUnit;

/** Where bytes wait until the weather lets them pass. */
final class Barrier {
    enum Direction {
        REQUEST,
        ANSWER
    }

    private Weather weather = Weather.FINE;

    synchronized void become(Weather now) {
        weather = now;
        notifyAll();
    }

    /** @param readNanos when the bytes came to the link */
    synchronized void await(Direction direction, long readNanos) throws InterruptedException {
        while (true) {
            boolean open = direction == Direction.REQUEST ? weather.requestsPass() : weather.answersPass();
            if (!open) {
                wait();
                continue;
            }
            long dueNanos = readNanos
                    + (direction == Direction.ANSWER ? weather.answersTake().toNanos() : 0);
            long leftNanos = dueNanos - System.nanoTime();
            if (leftNanos <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
        }
    }
}
