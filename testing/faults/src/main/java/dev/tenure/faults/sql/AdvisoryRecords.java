// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.sql;

import dev.tenure.ElectionName;
import dev.tenure.faults.candidate.Candidate;
import dev.tenure.faults.store.Records;
import dev.tenure.sql.servers.SqlServer;
import java.util.function.Supplier;

/** A person with an SQL prompt, who does not tell the listeners what was changed. */
record AdvisoryRecords(Supplier<SqlServer> server) implements Records {
    private static final String TABLE = "tenure_epochs";
    private static final String ROW =
            " WHERE election = '" + ElectionName.of(Candidate.ELECTION).encoded() + "'";

    /** The session is the connection that has the lock. */
    @Override
    public void revokeSession() {
        String ended = server.get()
                .ask("SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                        + " AND (classid::bigint << 32) | objid::bigint = (SELECT lock_key FROM " + TABLE + ROW + ")");
        if (ended.equals("0")) {
            throw new IllegalStateException("nobody leads");
        }
    }

    @Override
    public void deleteClaim() {
        server.get().execute("DELETE FROM " + TABLE + ROW);
    }

    @Override
    public void wipe() {
        server.get().execute("DELETE FROM " + TABLE, "DELETE FROM tenure_epoch_store");
    }
}
