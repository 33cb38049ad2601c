// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.fence.sql.Sql.SqlState;
import java.sql.SQLException;

/**
 * The database did not say whether it has committed. The work may be there or not, and nothing was retried: read back what it
 * should have written, or write it so that a repetition does no harm.
 */
public class CommitUnknownException extends SQLException {
    private static final long serialVersionUID = 1L;

    /** What the standard calls "transaction resolution unknown". */
    private static final String STATE = "08007";

    CommitUnknownException(String resource, SQLException failure) {
        super(
                "whether the transaction fenced by " + resource + " was committed is unknown: " + failure.getMessage(),
                STATE,
                failure);
    }

    /** What a failed commit means: that its outcome is unknown, unless the database says that it has rolled back. */
    static SQLException of(String resource, SQLException failure) {
        return SqlState.isRolledBack(failure) ? failure : new CommitUnknownException(resource, failure);
    }
}
