// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** The pool of connections that a peer is given, as a service would have it. */
public final class Pool {
    private static final int CONNECTIONS_MAX = 10;

    private Pool() {}

    public static HikariDataSource open(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(CONNECTIONS_MAX);
        config.setMinimumIdle(2);
        return new HikariDataSource(config);
    }
}
