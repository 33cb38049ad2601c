// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.spi.Host;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/** A disk that writes in no time, unless the test stops it. */
final class SlowDisk implements Consumer<Runnable> {
    private final Host host;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private boolean stopped;

    SlowDisk(Host host) {
        this.host = host;
    }

    void stop() {
        stopped = true;
    }

    void goOn() {
        stopped = false;
        waiting.forEach(host::post);
        waiting.clear();
    }

    @Override
    public void accept(Runnable then) {
        if (stopped) {
            waiting.add(then);
        } else {
            host.post(then);
        }
    }
}
