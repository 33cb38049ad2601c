// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import dev.tenure.Scope;
import java.sql.SQLException;

/** H2 2.0 or newer: inside a process, in a file, or as a server. */
final class H2Dialect implements Dialect {
    @Override
    public boolean speaks(String product) {
        return product.equals("h2");
    }

    @Override
    public String nowMicros() {
        return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
    }

    /** It refuses writes by itself, and has no replicas. */
    @Override
    public String writable() {
        return "1";
    }

    @Override
    public String createTable(String table) {
        return "CREATE TABLE IF NOT EXISTS " + table + " (\n"
                + "    id VARCHAR(700) PRIMARY KEY,\n"
                + "    version VARCHAR(64) NOT NULL,\n"
                + "    content VARCHAR(1000000) NOT NULL,\n"
                + "    expires BIGINT\n"
                + ")";
    }

    @Override
    public Scope scope(String url) {
        return url.startsWith("jdbc:h2:tcp:") || url.startsWith("jdbc:h2:ssl:") ? Scope.CLUSTER : Scope.MACHINE;
    }

    @Override
    public SqlErrorKind errorKind(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case 90067, 90098, 90121, 90020 -> SqlErrorKind.UNREACHABLE;
            case 90013, 90146 -> SqlErrorKind.MISSING_DATABASE;
            case 42102, 42103, 42104, 90079 -> SqlErrorKind.MISSING_TABLE;
            case 90096, 90040 -> SqlErrorKind.MISSING_PRIVILEGE;
            case 90097 -> SqlErrorKind.READ_ONLY;
            case 50200, 90131 -> SqlErrorKind.CONFLICT;
            default -> Dialect.super.errorKind(failure);
        };
    }
}
