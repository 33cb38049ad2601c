// SPDX-License-Identifier: Apache-2.0
package dev.tenure.postgres.advisory;

import static org.awaitility.Awaitility.await;

import dev.tenure.contract.AlteredHost;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Watch;
import dev.tenure.sql.servers.SqlServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who hears goes on trying to, whatever keeps it from that. */
@Tag("server")
class ElectionNotificationsTest {
    @TempDir
    Path folder;

    /** Does something when whoever waits for the end pauses. */
    private static final class PausingHost extends AlteredHost {
        private final Runnable inPause;

        PausingHost(Runnable inPause) {
            this.inPause = inPause;
        }

        @Override
        public Signal signal() {
            Signal real = super.signal();
            return new Signal() {
                @Override
                public void set() {
                    real.set();
                }

                @Override
                public boolean isSet() {
                    return real.isSet();
                }

                @Override
                public boolean await(long nanos) throws InterruptedException {
                    inPause.run();
                    return real.await(nanos);
                }
            };
        }
    }

    @Test
    void a_file_with_the_password_that_is_just_being_replaced_does_not_end_it() {
        Path file = folder.resolve("password");
        PausingHost host = new PausingHost(() -> write(file));
        String url =
                AdvisoryServer.url("hearing").replace(":" + SqlServer.PASSWORD, "") + "&tenure.password.file=" + file;
        AdvisoryBackend backend = new AdvisoryProvider().connect(BackendUrl.parse(url), host);
        makeTables();

        try (Watch watch = backend.watch(election -> {})) {
            await("it listens")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> !listeners().equals("0"));
        } finally {
            backend.close();
            host.shutdown();
        }
    }

    private static void makeTables() {
        try (Side side = new Side(AdvisoryServer.url("hearing"))) {
            side.ask(() -> side.backend().era());
        }
    }

    private static String listeners() {
        return AdvisoryServer.shared()
                .ask("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN %t_hearing_%'");
    }

    private static void write(Path file) {
        try {
            Files.writeString(file, SqlServer.PASSWORD + "\n");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
