// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import dev.tenure.zookeeper.ensemble.Ensemble;
import dev.tenure.zookeeper.ensemble.Server;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** Servers of its own for each class that does them harm, so that classes can run beside each other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OwnServers {
    /** Where no term may be lost: long enough that a busy machine does not lose one. */
    static final Duration CALM = Duration.ofSeconds(12);

    static final Duration TTL = Duration.ofSeconds(6);
    static final Duration SHORT = Duration.ofSeconds(2);

    Ensemble ensemble;
    String base;

    @BeforeAll
    void startServers() {
        ensemble = Ensemble.start();
    }

    @AfterAll
    void stopServers() {
        ensemble.close();
    }

    @BeforeEach
    void awaitServers() {
        base = "/faults-" + UUID.randomUUID();
        ensemble.awaitReady();
    }

    Crowd crowd(Duration ttl) {
        Crowd crowd = new Crowd(ttl);
        for (String node : List.of("a", "b", "c")) {
            crowd.join(node, ensemble.url(base));
        }
        return crowd;
    }

    /** For this long, and until somebody leads and writes afterwards. */
    void hang(Server server, Crowd crowd, Duration ttl) throws Exception {
        server.stop();
        try {
            crowd.awaitPassed(ttl);
        } finally {
            server.resume();
        }
        ensemble.awaitReady();
        crowd.awaitProgress();
    }
}
