// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.Servers;

/** Which of the servers. */
public sealed interface ServerSelector {
    String name();

    int of(Servers servers) throws Exception;

    record Numbered(int server) implements ServerSelector {
        @Override
        public String name() {
            return "server-" + server;
        }

        @Override
        public int of(Servers servers) {
            return server;
        }
    }

    /** The one that leads the others. */
    record Leading() implements ServerSelector {
        @Override
        public String name() {
            return "store-leader";
        }

        @Override
        public int of(Servers servers) throws Exception {
            return servers.leader();
        }
    }
}
