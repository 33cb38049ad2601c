// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Versioned;
import dev.tenure.spi.WriteReply;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is to be gone, and is not there. */
@Tag("server")
class DeletionTest {
    static Stream<String> databases() {
        return Stream.of(
                inNamespace(SharedServers.postgres().url(), "deletion"),
                inNamespace(SharedServers.mariaDb().url(), "deletion"),
                SharedServers.h2("deletion"));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void a_record_that_was_expected_to_be_absent_and_is_counts_as_removed(String url) {
        try (Client client = Client.of(url)) {
            WriteReply reply = Client.reply(client.store().delete(Versioned.absent("c/never", 0)));

            assertThat(reply)
                    .isInstanceOfSatisfying(
                            WriteReply.Applied.class,
                            applied -> assertThat(applied.now().isPresent()).isFalse());
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void a_record_that_was_expected_and_has_vanished_is_refused(String url) {
        try (Client client = Client.of(url)) {
            Versioned written = client.write(client.read("c/gone"), "stands");
            Client.reply(client.store().delete(written));

            WriteReply reply = Client.reply(client.store().delete(written));

            assertThat(reply)
                    .isInstanceOfSatisfying(
                            WriteReply.Refused.class,
                            refused -> assertThat(refused.current().isPresent()).isFalse());
        }
    }
}
