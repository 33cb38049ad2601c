// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.sql;

import dev.tenure.ElectionName;
import dev.tenure.faults.candidate.Candidate;
import dev.tenure.faults.store.Records;
import dev.tenure.sql.servers.SqlServer;
import java.util.function.Supplier;

/** A person with an SQL prompt, who does not tell the listeners what was changed. */
record SqlRecords(Supplier<SqlServer> server) implements Records {
    private static final String TABLE = "tenure_records";

    @Override
    public void revokeSession() {
        String claim = server.get().ask("SELECT content FROM " + TABLE + " WHERE id = '" + claimId() + "'");
        String session = claim.lines()
                .filter(line -> line.startsWith("session="))
                .map(line -> line.substring("session=".length()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody leads: " + claim));
        delete(" WHERE id = 's/" + session + "'");
    }

    @Override
    public void deleteClaim() {
        delete(" WHERE id = '" + claimId() + "'");
    }

    @Override
    public void wipe() {
        delete("");
    }

    private static String claimId() {
        return "c/" + ElectionName.of(Candidate.ELECTION).encoded();
    }

    private void delete(String where) {
        server.get().execute("DELETE FROM " + TABLE + where);
    }
}
