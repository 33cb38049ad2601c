// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How a fence uses its database.
 *
 * @param table with or without a schema
 * @param createsTable makes the table when it is missing; otherwise that is an error which shows the script
 * @param storeId the random id of the store that elects, or nothing
 * @param idleAtMost how long a fenced transaction may do nothing
 * @param raiseWithin how long a raise waits for transactions of older terms
 */
record FenceOptions(String table, boolean createsTable, String storeId, Duration idleAtMost, Duration raiseWithin) {
    static final String TABLE = "tenure_fence";

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}(\\.[a-z][a-z0-9_]{0,62})?");
    private static final Pattern RESOURCE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,99}");
    private static final Duration LIMIT_MIN = Duration.ofMillis(100);
    private static final Duration LIMIT_MAX = Duration.ofHours(1);

    FenceOptions {
        if (!NAME.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "the table '" + table + "' of a fence is not lower-case letters, digits and"
                            + " underscores with a letter in front, with or without a schema before a dot");
        }
        check("idleAtMost", idleAtMost);
        check("raiseWithin", raiseWithin);
    }

    private static void check(String what, Duration limit) {
        if (limit.compareTo(LIMIT_MIN) < 0 || limit.compareTo(LIMIT_MAX) > 0) {
            throw new IllegalArgumentException(
                    what + " " + limit.toMillis() + " ms is outside " + LIMIT_MIN.toMillis() + " ms to 1 h");
        }
    }

    static FenceOptions standard() {
        return new FenceOptions(TABLE, true, "", Duration.ofSeconds(5), Duration.ofSeconds(10));
    }

    static String checkResource(String resource) {
        if (!RESOURCE.matcher(resource).matches()) {
            throw new IllegalArgumentException(
                    "the resource '" + resource
                            + "' is not letters, digits, dots, slashes, dashes and underscores, 100 at most, a letter or digit in front");
        }
        return resource;
    }

    FenceOptions withTable(String name) {
        return new FenceOptions(name, createsTable, storeId, idleAtMost, raiseWithin);
    }

    FenceOptions expectingTable() {
        return new FenceOptions(table, false, storeId, idleAtMost, raiseWithin);
    }

    FenceOptions withStore(String id) {
        return new FenceOptions(table, createsTable, id, idleAtMost, raiseWithin);
    }

    FenceOptions withIdleAtMost(Duration limit) {
        return new FenceOptions(table, createsTable, storeId, limit, raiseWithin);
    }

    FenceOptions withRaiseWithin(Duration limit) {
        return new FenceOptions(table, createsTable, storeId, idleAtMost, limit);
    }

    /** JDBC counts in seconds, and 0 would mean without end. */
    int raiseSeconds() {
        return (int) raiseWithin.plusMillis(999).toSeconds();
    }
}
