package dev.tenure.jdbc.advisory;

import dev.tenure.jdbc.PostgresPlace;
import dev.tenure.spi.ClaimRequest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The claim of one election on a line. That is what a handover waits for, and it happens too seldom to ever be compiled: so
 * it does without what many claims need. Called by whoever is alone with the line.
 */
final class OneClaim {
    private static final int LOCK_TIMEOUT = 12;

    private final Statements statements;
    private final PostgresPlace place;

    OneClaim(Statements statements, PostgresPlace place) {
        this.statements = statements;
        this.place = place;
    }

    Verdict attempt(Line line, Member me, ClaimRequest request) throws SQLException {
        return verdict(line.prepared(statements.claimOne()), line, me, request);
    }

    /** Waits for its turn, for as long as the line waits for locks; who has won waits for them as briefly as before. */
    Verdict await(Line line, Member me, ClaimRequest request) throws SQLException {
        PreparedStatement statement = line.prepared(statements.awaitTurn());
        statement.setString(LOCK_TIMEOUT, Switchboard.lockTimeout(me.ttl().toMillis()));
        return verdict(statement, line, me, request);
    }

    private Verdict verdict(PreparedStatement statement, Line line, Member me, ClaimRequest request)
            throws SQLException {
        String election = request.election().encoded();
        long lockKey = me.keys().of(request.election());
        statement.setString(1, me.session());
        statement.setLong(2, line.identity().key());
        statement.setLong(3, me.ttl().toMillis());
        statement.setString(4, election);
        statement.setLong(5, lockKey);
        statement.setBoolean(6, line.holdings().containsKey(election));
        statement.setLong(7, request.nonce().high());
        statement.setLong(8, request.nonce().low());
        statement.setLong(9, Math.min(request.floor(), Long.MAX_VALUE - 1));
        statement.setString(10, request.holder());
        statement.setString(11, Epoch.text(request.card()));
        Verdict verdict;
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            verdict = Verdict.of(request, rows, 1);
        }
        place.ensureNoDoubt(statement);
        if (verdict instanceof Verdict.Won won) {
            line.holdings().put(election, won.holding(lockKey));
        }
        return verdict;
    }
}
