package dev.tenure.observability;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Standing;
import dev.tenure.Stats;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.spi.BackendTraits;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a client is healthy, for a page that people and load balancers ask. It does no I/O: it tells what the client knows.
 *
 * <p>A standby is healthy. A client whose store has not answered for a TTL is not, and neither is one whose candidacy retired
 * although nobody asked for it. Do not restart a process for it: that does not help a store. So liveness checks must not ask here.
 */
public final class TenureHealth {
    private static final int RETIRED_MAX = 100;

    private final Tenure tenure;
    /** Elections in which this client does not stand any more although nobody asked for that. */
    private final Map<ElectionName, Loss> retired = new LinkedHashMap<>();

    /**
     * @param healthy the verdict
     * @param reason one sentence if it is not healthy, else empty
     * @param store what operators call it, without secrets
     * @param grade what the store promises, with the scope of it
     * @param silence how long ago the store last answered
     * @param elections those that this client stands in or has left unasked, by name
     */
    public record Verdict(
            boolean healthy,
            String reason,
            String store,
            String grade,
            Duration silence,
            Map<String, ElectionHealth> elections) {
        /** Does this process lead now, with authority? For checks of load balancers. */
        public boolean leads(String election) {
            ElectionHealth known = elections.get(election);
            return known != null && known.standing.equals("leading") && !known.remaining.isZero();
        }
    }

    /**
     * @param standing {@code standby}, {@code leading}, {@code draining} or {@code retired}
     * @param detail for people: the loss of a term that drains or of a candidacy that retired, or that renewals are not answered
     * @param token of the term here, as text: it does not fit into a double
     * @param leadsFor how long this process has led; zero if it does not
     * @param remaining how long it has authority without another renewal; zero if it does not lead
     * @param leader the node that leads, as far as this client knows
     */
    public record ElectionHealth(
            String standing,
            String detail,
            Optional<String> token,
            Duration leadsFor,
            Duration remaining,
            Optional<String> leader) {}

    private TenureHealth(Tenure tenure) {
        this.tenure = tenure;
    }

    /** Watches this client from now on. */
    public static TenureHealth of(Tenure tenure) {
        TenureHealth health = new TenureHealth(tenure);
        tenure.onEvent(health::on);
        return health;
    }

    private synchronized void on(TenureEvent event) {
        if (event instanceof TenureEvent.Retired gone
                && !(gone.loss() instanceof Loss.Completed || gone.loss() instanceof Loss.Closed)
                && retired.size() < RETIRED_MAX) {
            retired.put(gone.election(), gone.loss());
        }
    }

    /** The verdict now. Waits for the client's loop, a moment unless it is stuck, and never for the store. */
    public synchronized Verdict check() {
        Stats stats = tenure.stats();
        BackendTraits traits = tenure.traits();
        Duration ttl = stats.session().ttl();
        Duration silence = stats.session().silence();
        Map<String, ElectionHealth> elections = new LinkedHashMap<>();
        stats.byElection().forEach((name, now) -> elections.put(name.toString(), health(now, stats.session())));
        retired.keySet().removeAll(stats.byElection().keySet()); // it stands again
        retired.forEach((name, loss) -> elections.put(name.toString(), retired(loss)));
        String reason = "";
        if (ttl.isZero()) {
            reason = "the client is closed, or its loop does not answer";
        } else if (silence.compareTo(ttl) >= 0) {
            reason = traits.store() + " has not answered for " + silence.toMillis() + " ms, the TTL is "
                    + ttl.toMillis() + " ms";
        } else if (!retired.isEmpty()) {
            reason = "no longer stands in " + retired.keySet() + ": see the loss";
        }
        String grade = traits.grade() + " within one " + traits.scope().name().toLowerCase(Locale.ROOT);
        return new Verdict(reason.isEmpty(), reason, traits.store(), grade, silence, Map.copyOf(elections));
    }

    private static ElectionHealth retired(Loss loss) {
        return new ElectionHealth(
                "retired", loss.toString(), Optional.empty(), Duration.ZERO, Duration.ZERO, Optional.empty());
    }

    private static ElectionHealth health(Stats.ElectionStats now, Stats.SessionStats session) {
        String standing = "standby";
        String detail = "";
        if (now.standing() instanceof Standing.Leading) {
            standing = "leading";
            // A renewal and its timeout take less than half a TTL.
            boolean atRisk = session.silence().compareTo(session.ttl().dividedBy(2)) >= 0;
            detail = atRisk ? "at risk: renewals are not answered" : "";
        } else if (now.standing() instanceof Standing.Draining draining) {
            standing = "draining";
            detail = draining.loss().toString();
        }
        return new ElectionHealth(
                standing,
                detail,
                now.token().map(FencingToken::toString),
                now.tokenAge(),
                standing.equals("leading") ? session.remaining() : Duration.ZERO,
                now.leader());
    }
}
