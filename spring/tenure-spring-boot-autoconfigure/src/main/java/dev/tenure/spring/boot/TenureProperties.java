// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import dev.tenure.Grade;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of the client.
 *
 * @param url The store: datasource for the application's own database, or a URL such as etcd://host:2379/billing.
 * @param ssl TLS to the store.
 * @param ttl How long this process may be silent before others take over. 10 s, or what is usual with the store.
 * @param node What operators call this process. Host, process id and a random part if empty.
 * @param requireGrade The least grade that the store must have.
 * @param acknowledgeBestEffort Whether elections without a fence are allowed on a store that can have two leaders.
 */
@ConfigurationProperties("tenure")
public record TenureProperties(
        @Nullable String url,
        @Nullable Ssl ssl,
        @Nullable Duration ttl,
        @Nullable String node,
        @Nullable Grade requireGrade,
        boolean acknowledgeBestEffort) {
    /**
     * TLS to the store.
     *
     * @param bundle The SSL bundle for a store that is named by a URL and speaks TLS.
     */
    public record Ssl(@Nullable String bundle) {}
}
