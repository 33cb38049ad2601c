// SPDX-License-Identifier: Apache-2.0
package dev.tenure.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** MariaDB 10.5 or newer, and MySQL 8 or newer. */
final class MariaDbDialect implements Dialect {
    @Override
    public boolean speaks(String product) {
        return product.equals("mariadb") || product.equals("mysql");
    }

    /** Not by {@code UNIX_TIMESTAMP(NOW(6))}: that goes by the zone of the session, and back by an hour in autumn. */
    @Override
    public String nowMicros() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    }

    @Override
    public String writable() {
        return "1 - @@global.read_only";
    }

    @Override
    public String createTable(String table) {
        return "CREATE TABLE IF NOT EXISTS " + table + " (\n"
                + "    id VARCHAR(700) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,\n"
                + "    version VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
                + "    content MEDIUMTEXT CHARACTER SET utf8mb4 NOT NULL,\n"
                + "    expires BIGINT\n"
                + ") ENGINE = InnoDB";
    }

    @Override
    public Map<String, String> limits(Duration timeout) {
        String millis = Long.toString(timeout.toMillis());
        return Map.of("connectTimeout", millis, "socketTimeout", millis);
    }

    @Override
    public SqlErrorKind errorKind(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case 1040, 1203, 1226 -> SqlErrorKind.CROWDED;
            case 1045, 1698 -> SqlErrorKind.CREDENTIALS;
            case 1049 -> SqlErrorKind.MISSING_DATABASE;
            case 1146 -> SqlErrorKind.MISSING_TABLE;
            case 1044, 1142, 1143, 1227 -> SqlErrorKind.MISSING_PRIVILEGE;
            case 1290, 1792, 1836 -> SqlErrorKind.READ_ONLY;
            case 1205, 1213 -> SqlErrorKind.CONFLICT;
            case 1048, 1364, 1451, 1452, 4025 -> SqlErrorKind.REFUSED; // of the same SQLSTATE as a duplicate
            default -> Dialect.super.errorKind(failure);
        };
    }
}
