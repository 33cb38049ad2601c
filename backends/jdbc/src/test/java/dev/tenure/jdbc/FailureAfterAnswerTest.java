// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.RenewalReader.Answer;
import dev.tenure.spi.RenewalReader.Wanted;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What fails when the answer that counts is there already does not hide that answer. */
class FailureAfterAnswerTest {
    private static final Duration TTL = Duration.ofMinutes(1);

    private final AtomicBoolean fails = new AtomicBoolean();

    /** A source of H2 on whose connections a call fails, from a moment on. */
    private Client client(String name, String call, Predicate<String> argument, Exception failure) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(SharedServers.h2(name));
        DataSource failing = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> failing(source.getConnection(), call, argument, failure));
        return new Client(host -> JdbcStore.open(failing, JdbcOptions.standard(), host));
    }

    private Connection failing(Connection connection, String call, Predicate<String> argument, Exception failure) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    String first = arguments == null ? "" : String.valueOf(arguments[0]);
                    if (fails.get() && method.getName().equals(call) && argument.test(first)) {
                        throw failure;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    /** A statement that gave way, and a server that was set to read only meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"40001", "25006"})
    void a_renewal_that_was_written_is_applied_although_what_it_reads_along_fails(String state) {
        SQLException failure = new SQLException("not now", state);
        try (Client client = client("along" + state, "prepareStatement", sql -> sql.startsWith("SELECT"), failure)) {
            Versioned session = client.write(Versioned.absent("s/a", 0), "first", TTL);
            fails.set(true);

            Write renewal = new Write(session, "second", Optional.of(TTL), 0);
            Answer answer = Client.reply(client.store().renew(renewal, new Wanted(Set.of("c/a"), Set.of("s/"))));

            assertThat(answer.reply()).isInstanceOf(WriteReply.Applied.class);
            assertThat(answer.records()).isEmpty();
            fails.set(false);
            assertThat(client.read("s/a").value()).isEqualTo("second");
        }
    }

    @Test
    void a_write_is_applied_although_the_pool_fails_to_take_the_connection_back() {
        RuntimeException failure = new IllegalStateException("the pool is confused");
        try (Client client = client("back", "close", nothing -> true, failure)) {
            Versioned record = client.write(Versioned.absent("c/a", 0), "first");
            fails.set(true);

            assertThat(client.write(record, "second").value()).isEqualTo("second");
            assertThat(client.read("c/a").value()).isEqualTo("second");
        }
    }
}
