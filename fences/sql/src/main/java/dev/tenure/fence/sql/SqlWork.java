// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import java.sql.Connection;
import java.sql.SQLException;

/** What is done in one fenced transaction. */
@FunctionalInterface
public interface SqlWork {
    /** @param connection in a transaction that the fence ends: it cannot be committed, rolled back or closed from here */
    void run(Connection connection) throws SQLException;
}
