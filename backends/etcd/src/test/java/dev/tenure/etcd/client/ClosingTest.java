// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendUrl;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client may be closed while its loop opens a channel. */
@Timeout(120)
class ClosingTest {
    private static final int ROUNDS = 300;
    private static final Logger LIBRARY = Logger.getLogger("io.grpc");

    /** What the library reports as its own bugs. */
    private static final class Reported extends Handler {
        private final List<String> severe = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord said) {
            if (said.getLevel().intValue() >= Level.SEVERE.intValue()) {
                severe.add(said.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void a_channel_that_is_opened_meanwhile_is_closed_too() throws Exception {
        SystemHost host = SystemHost.start("closing");
        Reported reported = new Reported();
        LIBRARY.addHandler(reported);
        try {
            EtcdSettings settings = EtcdSettings.of(BackendUrl.parse("etcd://localhost:1/closing?timeout=1s"));
            List<CompletableFuture<Object>> answers = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                EtcdClient client = EtcdClient.on(host, settings);
                CompletableFuture<Object> answer = new CompletableFuture<>();
                answers.add(answer);
                host.post(() -> client.version().whenComplete((version, failure) -> answer.complete(failure)));

                client.close();
            }
            for (CompletableFuture<Object> answer : answers) {
                assertThat(answer.get(30, TimeUnit.SECONDS)).isInstanceOf(Throwable.class);
            }
            assertThat(reported.severe).isEmpty();
        } finally {
            LIBRARY.removeHandler(reported);
            host.shutdown();
        }
    }
}
