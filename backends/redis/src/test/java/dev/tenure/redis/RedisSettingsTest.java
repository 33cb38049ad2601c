// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.spi.BackendUrl;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.HostAndPort;

class RedisSettingsTest {
    private static RedisSettings of(String url) {
        return RedisSettings.of(BackendUrl.parse(url));
    }

    @Test
    void a_short_url_means_the_usual_port_database_and_prefix() {
        RedisSettings settings = of("redis://example.org");

        assertThat(settings.servers()).containsExactly(new HostAndPort("example.org", 6379));
        assertThat(settings.records()).isEqualTo(new RedisSettings.Records("tenure", 0, 0, 0));
        assertThat(settings.client().isSsl()).isFalse();
        assertThat(settings.client().getUser()).isNull();
    }

    @Test
    void a_long_url_is_understood_and_shown_without_its_password() {
        RedisSettings settings = of("rediss://me:p%40ss@[::1]:7000,b/3?prefix=jobs&replicas=2&aof=1&timeout=300ms");

        assertThat(settings.servers()).containsExactly(new HostAndPort("::1", 7000), new HostAndPort("b", 6379));
        assertThat(settings.records()).isEqualTo(new RedisSettings.Records("jobs", 3, 2, 1));
        assertThat(settings.client().getUser()).isEqualTo("me");
        assertThat(settings.client().getPassword()).isEqualTo("p@ss");
        assertThat(settings.client().isSsl()).isTrue();
        assertThat(settings.client().getSslParameters().getEndpointIdentificationAlgorithm())
                .isEqualTo("HTTPS");
        assertThat(settings.client().getSocketTimeoutMillis()).isEqualTo(300);
        assertThat(settings.toString()).doesNotContain("p@ss", "p%40ss");
    }

    @Test
    void all_keys_of_a_store_have_one_hash_tag() {
        assertThat(of("redis://a?prefix=x").records().keys("c/some"))
                .isEqualTo(List.of("{x}:c", "{x}:count", "{x}:changes"));
    }

    @Test
    void sentinels_get_the_password_only_if_the_url_says_so() {
        assertThat(of("redis://:pw@s1,s2?sentinel=main")
                        .sentinel()
                        .orElseThrow()
                        .client()
                        .getPassword())
                .isNull();
        assertThat(of("redis://:pw@s1,s2?sentinel=main&sentinel.auth=on")
                        .sentinel()
                        .orElseThrow()
                        .client()
                        .getPassword())
                .isEqualTo("pw");
        assertThat(of("redis://s1?sentinel=main").servers()).containsExactly(new HostAndPort("s1", 26379));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis:here | names no server",
                "redis://a/b | database 'b' in the store URL must be a number",
                "redis://a?prefix={x} | prefix '{x}' must have",
                "redis://a?replicas=two | replicas 'two' in the store URL must be a number from 0 to 9",
                "redis://a?aof=2 | from 0 to 1",
                "redis://a?replica=1 | unknown option 'replica'",
                "redis://user@a | has no password"
            })
    void what_cannot_work_is_refused(String url, String sentence) {
        assertThatThrownBy(() -> of(url)).hasMessageContaining(sentence);
    }
}
