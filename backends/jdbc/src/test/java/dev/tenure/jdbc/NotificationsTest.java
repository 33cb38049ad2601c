// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.jdbc.NotificationListener.PostgresNotifications;
import dev.tenure.spi.BackendTraits.Wakeup;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import dev.tenure.sql.servers.Postgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** What PostgreSQL notifies. That hints come at all, the contract kit tests. */
@Tag("server")
class NotificationsTest {
    private static final String LISTENERS =
            "FROM pg_stat_activity WHERE query LIKE 'SELECT id FROM %t_notices_records%'";

    @Test
    void a_listener_that_was_cut_off_hears_again() {
        Postgres server = SharedServers.postgres();
        Set<String> heard = ConcurrentHashMap.newKeySet();
        try (Client client = Client.of(inNamespace(server.url(), "notices"));
                Watch watch = client.store().watch("c/", heard::add)) {
            changeUntilHeard(client, "c/before", heard);

            assertThat(server.ask("SELECT count(pg_terminate_backend(pid)) " + LISTENERS))
                    .isNotEqualTo("0");

            changeUntilHeard(client, "c/after", heard);
        }
    }

    private static void changeUntilHeard(Client client, String key, Set<String> heard) {
        Awaitility.await("a hint of " + key).atMost(Duration.ofSeconds(30)).until(() -> {
            client.write(client.read(key), "change");
            return heard.contains(key);
        });
    }

    @Test
    void what_changed_before_one_could_listen_is_told_as_soon_as_one_can() {
        String url = inNamespace(SharedServers.postgres().url(), "missed");
        Set<String> heard = ConcurrentHashMap.newKeySet();
        try (Client client = Client.of(url);
                Client other = Client.of(url)) {
            client.write(Versioned.absent("c/missed", 0), "released");

            Watch watch = other.store().watch("c/", heard::add);

            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> heard.contains("c/missed"));
            watch.close();
        }
    }

    private static PostgresNotifications listening(
            NotificationListener.Opening opening, JdbcOptions options, Host host, Set<String> heard) {
        WatchRegistry<KeyWatcher> watchers = new WatchRegistry<>();
        watchers.add(new KeyWatcher("c/", heard::add));
        PostgresNotifications notifications = new PostgresNotifications(opening, options, host, watchers);
        notifications.start();
        return notifications;
    }

    @Test
    void a_listener_that_could_not_even_try_tries_again() {
        Host host = SystemHost.start("test");
        JdbcOptions options = JdbcOptions.of(
                BackendUrl.parse(inNamespace(SharedServers.postgres().url(), "again")));
        AtomicInteger tries = new AtomicInteger();
        Set<String> heard = ConcurrentHashMap.newKeySet();
        NotificationListener.Opening opening = () -> {
            if (tries.incrementAndGet() == 1) {
                throw new IllegalStateException("the file with the password is just being replaced");
            }
            return SharedServers.postgres().connect();
        };
        try (Client client = Client.of(inNamespace(SharedServers.postgres().url(), "again"));
                PostgresNotifications notifications = listening(opening, options, host, heard)) {
            changeUntilHeard(client, "c/a", heard);
        } finally {
            host.shutdown();
        }
    }

    @Test
    void one_who_listens_before_there_is_a_table_hears_of_it_on_the_same_connection() {
        Host host = SystemHost.start("test");
        String url = inNamespace(SharedServers.postgres().url(), "early");
        AtomicInteger connections = new AtomicInteger();
        Set<String> heard = ConcurrentHashMap.newKeySet();
        NotificationListener.Opening opening = () -> {
            connections.incrementAndGet();
            return SharedServers.postgres().connect();
        };
        JdbcOptions options = JdbcOptions.of(BackendUrl.parse(url));
        try (PostgresNotifications notifications = listening(opening, options, host, heard);
                Client client = Client.of(url)) {
            Awaitility.await("it looks for the table")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> !SharedServers.postgres()
                            .ask("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%to_regclass(''t_early_%'"
                                    + " AND pid <> pg_backend_pid()")
                            .equals("0"));

            changeUntilHeard(client, "c/a", heard);

            assertThat(connections).hasValue(1);
        } finally {
            host.shutdown();
        }
    }

    @Test
    void nothing_listens_any_more_when_a_store_was_closed() {
        Postgres server = SharedServers.postgres();
        Set<String> heard = ConcurrentHashMap.newKeySet();
        try (Client client = Client.of(inNamespace(server.url(), "notices"));
                Watch watch = client.store().watch("c/", heard::add)) {
            changeUntilHeard(client, "c/a", heard);
        }

        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> server.ask("SELECT count(*) " + LISTENERS).equals("0"));
    }

    @Test
    void the_heartbeat_of_a_session_is_not_announced() {
        try (Client client = Client.of(inNamespace(SharedServers.postgres().url(), "quiet"));
                Client other = Client.of(inNamespace(SharedServers.postgres().url(), "quiet"))) {
            Set<String> heard = ConcurrentHashMap.newKeySet();
            Watch watch = other.store().watch("", heard::add);
            changeUntilHeard(client, "c/a", heard);

            Versioned opened = client.write(Versioned.absent("s/a", 0), "open", Duration.ofMinutes(1));
            client.write(opened, "renewed", Duration.ofMinutes(1));
            changeUntilHeard(client, "c/b", heard); // and with it all that was announced before

            assertThat(heard).doesNotContain("s/a");
            watch.close();
        }
    }

    @Test
    void behind_a_pooler_notifications_are_not_relied_on() {
        Host host = SystemHost.start("test");
        try (PostgresNotifications notifications = new PostgresNotifications(
                NotificationsTest::asThroughPooler, JdbcOptions.standard(), host, new WatchRegistry<>())) {
            assertThat(notifications.wakeup()).isEqualTo(Wakeup.WATCH);
            notifications.start();

            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(notifications.wakeup()).isEqualTo(Wakeup.POLL));
        } finally {
            host.shutdown();
        }
    }

    /** A pooler tells a process of its own when one connects to it. */
    private static Connection asThroughPooler() throws SQLException {
        Connection real = SharedServers.postgres().connect();
        PGConnection notified = instead(PGConnection.class, real.unwrap(PGConnection.class), "getBackendPID", -1);
        return instead(Connection.class, real, "unwrap", notified);
    }

    /** The real one, but for one answer. */
    private static <T> T instead(Class<T> type, T real, String asked, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return method.getName().equals(asked) ? answer : method.invoke(real, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                }));
    }

    @Test
    void a_postgres_that_is_spoken_to_directly_is_relied_on() {
        Set<String> heard = ConcurrentHashMap.newKeySet();
        try (Client client = Client.of(inNamespace(SharedServers.postgres().url(), "direct"));
                Watch watch = client.store().watch("c/", heard::add)) {
            changeUntilHeard(client, "c/a", heard);

            assertThat(client.store().traits().wakeup()).isEqualTo(Wakeup.WATCH);
        }
    }
}
