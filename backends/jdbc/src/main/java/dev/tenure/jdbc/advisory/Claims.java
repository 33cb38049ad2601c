package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.jdbc.Complaint;
import dev.tenure.jdbc.PostgresPlace;
import dev.tenure.spi.ClaimRequest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;

/** Claims and releases on a line. Called by whoever is alone with it. */
final class Claims {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private final Statements statements;
    private final Trouble trouble;
    private final PostgresPlace place;
    private final OneClaim one;

    Claims(Statements statements, Trouble trouble, PostgresPlace place) {
        this.statements = statements;
        this.trouble = trouble;
        this.place = place;
        this.one = new OneClaim(statements, place);
    }

    /** Each of another election. */
    List<Verdict> tryAll(Line line, Connection connection, Member me, List<ClaimRequest> requests) throws SQLException {
        int room = Math.max(0, me.locksMax() - line.holdings().size());
        boolean scarce = requests.size() > room;
        if (scarce
                && requests.stream().filter(request -> !isHeld(line, request)).count() > room) {
            return divided(line, connection, me, requests, room);
        }
        try {
            return requests.size() == 1
                    ? List.of(one.attempt(line, me, requests.get(0)))
                    : claim(line, connection, me, requests);
        } catch (SQLException failure) {
            tidy(line, connection, failure);
            if (requests.size() == 1) {
                return List.of(refused(connection, me, requests.get(0), failure));
            }
            if (place.complaint(failure) != Complaint.DUPLICATE) {
                return requests.stream()
                        .<Verdict>map(request -> new Verdict.Refused(request, trouble.maybeAfterEffect(failure)))
                        .toList();
            }
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (ClaimRequest request : requests) {
            verdicts.addAll(tryAll(line, connection, me, List.of(request)));
        }
        return verdicts;
    }

    private static boolean isHeld(Line line, ClaimRequest request) {
        return line.holdings().containsKey(request.election().encoded());
    }

    /** As many as there is room for; one that the line has already needs none. */
    private List<Verdict> divided(Line line, Connection connection, Member me, List<ClaimRequest> requests, int room)
            throws SQLException {
        List<Verdict> verdicts = new ArrayList<>();
        List<ClaimRequest> fitting = new ArrayList<>();
        int free = room;
        for (ClaimRequest request : requests) {
            if (isHeld(line, request)) {
                fitting.add(request);
            } else if (free > 0) {
                fitting.add(request);
                free--;
            } else {
                verdicts.add(new Verdict.Refused(request, trouble.tooManyLocks(me.locksMax())));
            }
        }
        if (!fitting.isEmpty()) {
            verdicts.addAll(tryAll(line, connection, me, fitting));
        }
        return verdicts;
    }

    /** Waits for its turn, for as long as the line waits for locks. */
    Verdict await(Line line, Connection connection, Member me, ClaimRequest request) throws SQLException {
        try {
            return one.await(line, me, request);
        } catch (SQLException failure) {
            tidy(line, connection, failure);
            if (Statements.isLockTimeout(failure) || Statements.isCancelled(failure)) {
                throw failure;
            }
            return refused(connection, me, request, failure);
        }
    }

    /** The lock outlives the statement that took it and then failed; without its row it must not stay. */
    private void tidy(Line line, Connection connection, SQLException failure) throws SQLException {
        if (!trouble.isRefusal(failure) && !Statements.isCancelled(failure)) {
            throw failure;
        }
        tidy(line, connection);
    }

    /** Lets go of every lock of the line that is not among its holdings. */
    static void tidy(Line line, Connection connection) throws SQLException {
        LongStream held = line.holdings().values().stream().mapToLong(Line.Holding::lockKey);
        Long[] expected = LongStream.concat(held, LongStream.of(line.identity().key()))
                .boxed()
                .toArray(Long[]::new);
        try (PreparedStatement statement = connection.prepareStatement(Statements.tidy())) {
            statement.setArray(1, connection.createArrayOf("bigint", expected));
            statement.executeQuery().close();
        }
    }

    private Verdict refused(Connection connection, Member me, ClaimRequest request, SQLException failure)
            throws SQLException {
        if (place.complaint(failure) == Complaint.DUPLICATE) {
            try (PreparedStatement statement = connection.prepareStatement(statements.owner())) {
                statement.setLong(1, me.keys().of(request.election()));
                statement.setString(2, request.election().encoded());
                try (ResultSet rows = statement.executeQuery()) {
                    if (rows.next()) {
                        return new Verdict.Collides(request, ElectionName.decode(rows.getString(1)));
                    }
                }
            }
        }
        return new Verdict.Refused(request, trouble.maybeAfterEffect(failure));
    }

    private List<Verdict> claim(Line line, Connection connection, Member me, List<ClaimRequest> requests)
            throws SQLException {
        Map<String, ClaimRequest> asked = new HashMap<>();
        requests.forEach(request -> asked.put(request.election().encoded(), request));
        List<Verdict> verdicts = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(statements.claim())) {
            statement.setString(1, me.session());
            statement.setLong(2, line.identity().key());
            statement.setLong(3, me.ttl().toMillis());
            Columns columns = new Columns(connection, statement, requests, 4);
            columns.add("text", request -> request.election().encoded());
            columns.add("bigint", request -> me.keys().of(request.election()));
            columns.add("boolean", request -> isHeld(line, request));
            columns.add("bigint", request -> request.nonce().high());
            columns.add("bigint", request -> request.nonce().low());
            columns.add("bigint", request -> Math.min(request.floor(), Long.MAX_VALUE - 1));
            columns.add("text", ClaimRequest::holder);
            columns.add("text", request -> Epoch.text(request.card()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ClaimRequest request = asked.get(rows.getString("asked"));
                    if (request != null) {
                        verdicts.add(Verdict.of(request, rows, 2));
                    }
                }
            }
            place.ensureNoDoubt(statement);
        }
        for (Verdict verdict : verdicts) {
            if (verdict instanceof Verdict.Won won) {
                ElectionName election = won.request().election();
                line.holdings().put(election.encoded(), won.holding(me.keys().of(election)));
            }
        }
        return verdicts;
    }

    /** One array for each column. */
    private static final class Columns {
        private final Connection connection;
        private final PreparedStatement statement;
        private final List<ClaimRequest> requests;
        private int at;

        Columns(Connection connection, PreparedStatement statement, List<ClaimRequest> requests, int at) {
            this.connection = connection;
            this.statement = statement;
            this.requests = requests;
            this.at = at;
        }

        void add(String type, Function<ClaimRequest, Object> value) throws SQLException {
            Object[] values = requests.stream().map(value).toArray();
            statement.setArray(at++, connection.createArrayOf(type, values));
        }
    }

    /** @param what as in {@link Notice} */
    int announce(Connection connection, String what, List<String> elections) throws SQLException {
        if (elections.isEmpty()) {
            return 0;
        }
        try (PreparedStatement statement = connection.prepareStatement(statements.announce())) {
            statement.setString(1, what);
            statement.setArray(2, connection.createArrayOf("text", elections.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getInt(1) : 0;
            }
        }
    }

    /**
     * @param names those that were this session's and are not any more
     * @param unannounced those that are vacant without a word: somebody has them already who waited for the lock, or there was
     *     no row to tell of; others may hear of it later
     */
    record Released(List<String> names, List<String> unannounced) {}

    /**
     * Frees the locks of terms that are gone, if they have not been claimed again.
     *
     * @param gone by the encoded name of the election
     * @return the names of those that were freed
     */
    static List<String> letGo(Line line, Connection connection, Map<String, Line.Holding> gone) throws SQLException {
        List<String> freed = new ArrayList<>(gone.keySet());
        freed.removeIf(name -> !line.holdings().remove(name, gone.get(name)));
        tidy(line, connection);
        return freed;
    }

    Released release(Line line, Connection connection, Member me, List<String> elections) throws SQLException {
        Released released =
                elections.size() == 1 ? releaseOne(line, me, elections) : releaseMany(connection, me, elections);
        elections.forEach(line.holdings()::remove);
        if (released.names.size() < elections.size()) {
            tidy(line, connection); // a row that somebody has changed by hand: the lock goes all the same
        }
        return released;
    }

    private Released releaseOne(Line line, Member me, List<String> election) throws SQLException {
        PreparedStatement statement = line.prepared(statements.releaseOne());
        statement.setString(1, election.get(0));
        statement.setString(2, me.session());
        try (ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                return new Released(List.of(), election);
            }
            return new Released(election, rows.getString(2) == null ? election : List.of());
        }
    }

    private Released releaseMany(Connection connection, Member me, List<String> elections) throws SQLException {
        List<String> released = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(statements.release())) {
            statement.setString(1, me.session());
            statement.setArray(2, connection.createArrayOf("text", elections.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    released.add(rows.getString(1));
                }
            }
        }
        try {
            announce(connection, "r ", released);
        } catch (SQLException unheard) {
            LOG.log(Level.DEBUG, "a release was not announced; it is found by the poll", unheard);
        }
        List<String> without = new ArrayList<>(elections);
        without.removeAll(released);
        return new Released(released, without);
    }
}
