// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import static dev.tenure.jdbc.SharedServers.inNamespace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.Versioned;
import java.time.Duration;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Time is the database's, and it has no zone. */
@Tag("server")
class ClockTest {
    private static final Duration TTL = Duration.ofMinutes(10);

    /** One session in New York, and one in a zone with half an hour. */
    record Zones(String name, String west, String east) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Zones> databases() {
        String postgres = inNamespace(SharedServers.postgres().url(), "zones");
        String mariaDb = inNamespace(SharedServers.mariaDb().url(), "zones");
        String h2 = SharedServers.h2("zones");
        return Stream.of(
                new Zones(
                        "PostgreSQL",
                        postgres + "&options=-c%20TimeZone=America/New_York",
                        postgres + "&options=-c%20TimeZone=Asia/Kolkata"),
                new Zones(
                        "MariaDB",
                        mariaDb + "&sessionVariables=time_zone='-05:00'",
                        mariaDb + "&sessionVariables=time_zone='%2B05:30'"),
                new Zones("H2", h2 + ";TIME ZONE=America/New_York", h2 + ";TIME ZONE=Asia/Kolkata"));
    }

    @ParameterizedTest
    @MethodSource("databases")
    @ResourceLock(Resources.TIME_ZONE)
    void b61_sessions_in_different_zones_agree_on_the_time_that_is_left(Zones zones) {
        TimeZone before = TimeZone.getDefault();
        try (Client west = Client.of(zones.west);
                Client east = Client.of(zones.east)) {
            TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Auckland"));
            west.write(Versioned.absent("s/a", 0), "open", TTL);
            TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Honolulu"));

            Versioned seen = east.read("s/a");

            assertThat(seen.life().orElseThrow()).isBetween(TTL.minusMinutes(5), TTL);
            assertThat(Math.abs(seen.clockMillis() - System.currentTimeMillis()))
                    .isLessThan(Duration.ofMinutes(5).toMillis());
        } finally {
            TimeZone.setDefault(before);
        }
    }
}
