package dev.tenure.jdbc.advisory;

import dev.tenure.ElectionName;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.ClaimReply;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Which line of a session has which election, and which one works. Loop-confined. */
final class Roster {
    private final AdvisoryBackend.Store store;
    private final Member me;
    private final Consumer<String> lost;
    private final Map<ElectionName, Seat> held = new HashMap<>();
    private Line working;

    /** @param forfeitNanos since when its row is known to be gone, although the line has the lock */
    record Seat(Line line, ClaimReply.Granted grant, OptionalLong forfeitNanos) {
        Nonce nonce() {
            return grant.nonce();
        }

        boolean isForfeit() {
            return forfeitNanos.isPresent();
        }
    }

    Roster(AdvisoryBackend.Store store, Member me, Line working, Consumer<String> lost) {
        this.store = store;
        this.me = me;
        this.working = working;
        this.lost = lost;
        mourn(working);
    }

    /** The end of a line is the end of the session only if it worked or had an election. */
    void mourn(Line line) {
        line.whenEnded(why -> store.host().post(() -> {
            if (lines().contains(line)) {
                lost.accept(why);
            }
        }));
    }

    Line working() {
        return working;
    }

    /** Those that carry the session: the one that works, and every other that has an election. */
    List<Line> lines() {
        Set<Line> lines = new LinkedHashSet<>();
        lines.add(working);
        held.values().forEach(seat -> lines.add(seat.line));
        return List.copyOf(lines);
    }

    Line lineOf(ElectionName election) {
        return seat(election).map(Seat::line).orElse(working);
    }

    Optional<Seat> seat(ElectionName election) {
        return Optional.ofNullable(held.get(election));
    }

    Optional<Seat> seat(ElectionName election, Nonce nonce) {
        return seat(election).filter(taken -> taken.nonce().equals(nonce) && !taken.isForfeit());
    }

    boolean has(ElectionName election) {
        return held.containsKey(election);
    }

    boolean hasAll(Set<ElectionName> elections) {
        return held.keySet().containsAll(elections);
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    void won(Line line, Verdict.Won won) {
        held.put(won.request().election(), new Seat(line, won.grant(), OptionalLong.empty()));
    }

    /** Its term is over, but not its lock: that is kept, on its line, until it is claimed again, released or let go. */
    void forfeit(ElectionName election, long nowNanos) {
        held.computeIfPresent(election, (name, seat) -> new Seat(seat.line, seat.grant, OptionalLong.of(nowNanos)));
    }

    void remove(ElectionName election) {
        held.remove(election);
    }

    /** A line that has nothing does not work while another one has something. Returns the one that is free now. */
    Optional<Line> changeOver() {
        Set<Line> busy = new LinkedHashSet<>();
        held.values().forEach(seat -> busy.add(seat.line));
        if (busy.isEmpty() || busy.contains(working)) {
            return Optional.empty();
        }
        Line idle = working;
        working = busy.iterator().next();
        return Optional.of(idle);
    }

    CompletableFuture<Boolean> holds(Term term) {
        Optional<Seat> seat = seat(term.election(), term.nonce())
                .filter(mine -> mine.grant.token().equals(term.token()));
        return seat.map(mine -> store.onLoop(mine.line.run(connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(store.statements().holds())) {
                        statement.setString(1, term.election().encoded());
                        statement.setString(2, me.session());
                        statement.setLong(3, term.token().value());
                        statement.setLong(4, term.nonce().high());
                        statement.setLong(5, term.nonce().low());
                        try (ResultSet rows = statement.executeQuery()) {
                            return rows.next();
                        }
                    }
                })))
                .orElseGet(() -> CompletableFuture.completedFuture(false));
    }
}
