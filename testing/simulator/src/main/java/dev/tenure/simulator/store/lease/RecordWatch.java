// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.lease;

import dev.tenure.simulator.store.SimulatedLink;
import java.util.function.Consumer;

/** A watch as the server knows it. */
final class RecordWatch {
    final SimulatedLink link;
    final String prefix;
    final Consumer<String> changed;
    boolean dead;
    boolean closed;

    RecordWatch(SimulatedLink link, String prefix, Consumer<String> changed) {
        this.link = link;
        this.prefix = prefix;
        this.changed = changed;
    }
}
