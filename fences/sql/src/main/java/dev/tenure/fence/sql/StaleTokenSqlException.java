// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.StaleTokenException;
import dev.tenure.fence.sql.Sql.SqlState;
import java.sql.SQLNonTransientException;

/** A {@link StaleTokenException} where only an {@code SQLException} may be thrown. Trying again cannot help. */
public class StaleTokenSqlException extends SQLNonTransientException {
    private static final long serialVersionUID = 1L;

    private final StaleTokenException stale;

    StaleTokenSqlException(StaleTokenException stale) {
        super(stale.getMessage(), SqlState.STALE, stale);
        this.stale = stale;
    }

    /** With both tokens. */
    public StaleTokenException stale() {
        return stale;
    }
}
