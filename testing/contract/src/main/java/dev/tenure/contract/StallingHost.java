// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/** Its I/O executor can be stalled: code that waits for it on the calling thread is found out. */
final class StallingHost extends AlteredHost {
    private final Queue<Runnable> held = new ArrayDeque<>();
    private boolean stalled;

    synchronized void stall() {
        stalled = true;
    }

    synchronized void goOn() {
        stalled = false;
        held.forEach(super.io()::execute);
        held.clear();
    }

    private synchronized void execute(Runnable task) {
        if (stalled) {
            held.add(task);
        } else {
            super.io().execute(task);
        }
    }

    @Override
    public Executor io() {
        return this::execute;
    }
}
