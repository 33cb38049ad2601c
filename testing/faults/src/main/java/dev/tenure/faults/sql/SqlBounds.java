// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.sql;

import dev.tenure.faults.store.FaultScope;
import java.time.Duration;

/** How long there may be no leader, by docs/backends/jdbc.md. */
final class SqlBounds {
    private SqlBounds() {}

    /**
     * A lease runs out by the database's clock, and challengers look at that time. Where that clock cannot be asked or
     * believed, they have to see a row unchanged for 1.1 TTL, which they look at every half of one.
     */
    static Duration of(FaultScope scope, Duration ttl) {
        return switch (scope) {
            case CANDIDATE -> ttl.plus(ttl.dividedBy(10));
            case ANSWERS, SERVER, RECORDS -> ttl.plus(ttl.dividedBy(2));
            case STORE -> ttl.multipliedBy(2);
        };
    }
}
