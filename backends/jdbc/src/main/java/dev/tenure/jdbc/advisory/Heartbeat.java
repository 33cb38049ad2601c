package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.OperatorRequest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Proves in one round trip that a line is still served by the same process of the server, that this has every lock, and that
 * every row still carries the term. Locks and rows are counted, and the tokens and nonces of the rows are folded into one
 * number: only if something differs is it asked what.
 */
final class Heartbeat {
    private final Statements statements;
    private final Trouble trouble;

    /** What was seen. */
    sealed interface Pulse {
        /**
         * @param lost what the line has without the row that goes with it, or the other way round; its lock is left alone,
         *     because whoever leads by it has to hear of this before anybody else can
         * @param waits does that other server process wait for a lock?
         */
        record Alive(int era, Map<ElectionName, Line.Holding> lost, List<OperatorRequest> requests, boolean waits)
                implements Pulse {}

        record Dead(String why) implements Pulse {}
    }

    Heartbeat(Statements statements, Trouble trouble) {
        this.statements = statements;
        this.trouble = trouble;
    }

    /** @param waitingPid the server process of another line, or 0 */
    Pulse on(Line line, Connection connection, Member me, int waitingPid) throws SQLException {
        Line.Identity identity = line.identity();
        try (PreparedStatement statement = connection.prepareStatement(statements.heartbeat())) {
            statement.setInt(1, waitingPid);
            statement.setString(2, me.storeId());
            statement.setString(3, me.session());
            statement.setLong(4, identity.key());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                int pid = rows.getInt(1);
                if (pid != identity.pid() || rows.getLong("start") != identity.startMicros()) {
                    return new Pulse.Dead(trouble.shared(identity.pid(), pid));
                }
                int era = rows.getInt("era");
                if (rows.wasNull()) {
                    return new Pulse.Dead(trouble.wiped());
                }
                Map<String, Line.Holding> held = line.holdings();
                long mark = held.values().stream().mapToLong(Line.Holding::mark).reduce(0, (one, other) -> one ^ other);
                boolean whole = rows.getInt("locks") == held.size() + 1
                        && rows.getInt("terms") == held.size()
                        && rows.getLong("mark") == mark;
                return new Pulse.Alive(
                        era,
                        whole ? Map.of() : missing(line, connection, me),
                        rows.getInt("requests") == 0 ? List.of() : requests(connection, me),
                        rows.getBoolean("waits"));
            }
        }
    }

    private Map<ElectionName, Line.Holding> missing(Line line, Connection connection, Member me) throws SQLException {
        Map<String, Line.Holding> left = new HashMap<>(line.holdings());
        try (PreparedStatement statement = connection.prepareStatement(statements.census())) {
            statement.setString(1, me.session());
            statement.setLong(2, line.identity().key());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Line.Holding stored = new Line.Holding(
                            rows.getLong("lock_key"), rows.getLong("token"), rows.getLong(4), rows.getLong(5));
                    left.remove(rows.getString("election"), stored);
                }
            }
        }
        Claims.tidy(line, connection); // a lock of which nobody here knows would stop everybody
        Map<ElectionName, Line.Holding> lost = new HashMap<>();
        left.forEach((name, holding) -> lost.put(ElectionName.decode(name), holding));
        return lost;
    }

    List<OperatorRequest> requests(Connection connection, Member me) throws SQLException {
        List<OperatorRequest> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(statements.requests())) {
            statement.setString(1, me.session());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new OperatorRequest(
                            ElectionName.decode(rows.getString(1)),
                            OperatorRequest.Verb.valueOf(rows.getString(2)),
                            new FencingToken(rows.getLong(3)),
                            rows.getString(4)));
                }
            }
        }
        return found;
    }
}
