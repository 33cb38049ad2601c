package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** What became of one claim. */
sealed interface Verdict {
    /** What the server says of a table that is missing. */
    String MISSING = "42P01";

    ClaimRequest request();

    /**
     * @param at the first of four columns: was the lock got; token, takeover, and the TTL in ms of the one before. Who did not
     *     get it needs those of {@link Epoch} too, and {@code collides}: another election with this lock.
     */
    static Verdict of(ClaimRequest request, ResultSet rows, int at) throws SQLException {
        // A handover waits for this, and the driver takes its time for each column: no more of them than it needs.
        long token = rows.getLong(at + 1);
        if (token != 0) {
            boolean takeover = rows.getBoolean(at + 2);
            Duration formerTtl = takeover ? Duration.ofMillis(rows.getLong(at + 3)) : Duration.ZERO;
            return new Won(request, new FencingToken(token), takeover, formerTtl);
        }
        if (rows.getBoolean(at)) {
            throw new SQLException("the one row that tells the era is missing", MISSING);
        }
        String other = rows.getString("collides");
        if (other != null) {
            return new Collides(request, ElectionName.decode(other));
        }
        return new Taken(request, rows.getString("election") == null ? Optional.empty() : Optional.of(Epoch.of(rows)));
    }

    /** @param formerTtl of a predecessor that did not release: as long as this it may still believe */
    record Won(ClaimRequest request, FencingToken token, boolean takeover, Duration formerTtl) implements Verdict {
        ClaimReply.Granted grant() {
            return new ClaimReply.Granted(token, request.nonce(), takeover, formerTtl);
        }

        Line.Holding holding(long lockKey) {
            return new Line.Holding(
                    lockKey,
                    token.value(),
                    request.nonce().high(),
                    request.nonce().low());
        }
    }

    /** @param holder empty if its row was not there to be seen yet */
    record Taken(ClaimRequest request, Optional<Epoch> holder) implements Verdict {}

    /** Another election has the same lock. */
    record Collides(ClaimRequest request, ElectionName other) implements Verdict {}

    /** It was surely not applied. */
    record Refused(ClaimRequest request, BackendException why) implements Verdict {}
}
