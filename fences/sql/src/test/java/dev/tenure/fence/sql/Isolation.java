package dev.tenure.fence.sql;

import java.sql.Connection;

enum Isolation {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    final int level;

    Isolation(int level) {
        this.level = level;
    }
}
