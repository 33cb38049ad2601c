// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.host;

import dev.tenure.spi.Host;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * A bounded executor in virtual time, as a real host has them: an idle thread takes the call, else a new one, and beyond the
 * bound it stands in line. Each thread runs while everything else stands still.
 */
final class CallThreads {
    /** The host under it. */
    interface Machine {
        void thread(String name, Runnable code);

        Host.Signal signal();

        /** What a call of user code has thrown, if it may throw that. */
        void failed(Throwable failure);
    }

    private final String name;
    private final int threadsMax;
    private final Machine machine;
    private final Deque<Runnable> line = new ArrayDeque<>();
    private final Deque<Worker> idle = new ArrayDeque<>();
    private int threads;

    CallThreads(String name, int threadsMax, Machine machine) {
        this.name = name;
        this.threadsMax = threadsMax;
        this.machine = machine;
    }

    void execute(Runnable call) {
        Worker free = idle.poll();
        if (free != null) {
            free.take(call);
        } else if (threads < threadsMax) {
            threads++;
            machine.thread(name + "-" + threads, new Worker(call));
        } else {
            line.add(call);
        }
    }

    boolean isBusy() {
        return idle.size() < threads;
    }

    private final class Worker implements Runnable {
        private Optional<Runnable> next;
        private Host.Signal woken = machine.signal();

        Worker(Runnable first) {
            next = Optional.of(first);
        }

        void take(Runnable call) {
            next = Optional.of(call);
            woken.set();
        }

        @Override
        public void run() {
            try {
                while (true) {
                    next.ifPresent(this::runGuarded);
                    next = Optional.ofNullable(line.poll());
                    if (next.isEmpty()) {
                        rest();
                    }
                }
            } catch (InterruptedException nobodyDoes) {
                machine.failed(nobodyDoes);
            }
        }

        private void rest() throws InterruptedException {
            woken = machine.signal();
            idle.push(this);
            woken.await(Long.MAX_VALUE);
        }

        // The boundary of the executor: what a call throws does not end the thread.
        private void runGuarded(Runnable call) {
            try {
                call.run();
            } catch (RuntimeException | Error failure) {
                machine.failed(failure);
            }
        }
    }
}
