// SPDX-License-Identifier: Apache-2.0
package dev.tenure.observability;

import dev.tenure.ElectionName;
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
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether a client is healthy, for a page that people and load balancers ask. It does no I/O: it tells what the client knows.
 *
 * <p>A standby is healthy. A client whose store has not answered for a TTL is not, and neither is one whose candidacy retired
 * although nobody asked for it. A restart helps neither of them, so liveness checks must not ask here.
 */
public final class TenureHealth {
    private static final int RETIRED_MAX = 100;
    private final Tenure tenure;
    private final Map<ElectionName, Loss> retired = new ConcurrentHashMap<>();

    /**
     * @param reason one sentence if the client is not healthy, else empty
     * @param retired elections that the client has left although nobody asked for it, 100 at most
     */
    public record Verdict(
            boolean healthy, String reason, BackendTraits traits, Stats stats, Map<ElectionName, Loss> retired) {
        /** Does this process lead now, with authority? For checks of load balancers. */
        public boolean leads(String election) {
            Stats.ElectionStats here = stats.byElection().get(ElectionName.of(election));
            return here != null
                    && here.standing() instanceof Standing.Leading
                    && !stats.session().remaining().isZero();
        }

        /** What people want to know, as texts, booleans and maps of them. A token is a text: it does not fit into a double. */
        public Map<String, Object> details() {
            Map<String, Object> elections = new TreeMap<>();
            stats.byElection().forEach((name, here) -> elections.put(name.toString(), details(here)));
            retired.forEach((name, loss) ->
                    elections.put(name.toString(), Map.of("standing", "retired", "loss", loss.toString())));
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("store", traits.store());
            details.put("grade", traits.grade().name());
            details.put("scope", traits.scope().name().toLowerCase(Locale.ROOT));
            details.put("silence", stats.session().silence().toString());
            details.put("elections", elections);
            return details;
        }

        private Map<String, Object> details(Stats.ElectionStats here) {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("standing", here.standing().getClass().getSimpleName().toLowerCase(Locale.ROOT));
            here.leader().ifPresent(leader -> details.put("leader", leader));
            here.token().ifPresent(token -> {
                details.put("token", token.toString());
                details.put("since", here.tokenAge().toString());
            });
            if (here.standing() instanceof Standing.Leading) {
                Duration half = stats.session().ttl().dividedBy(2); // longer than to the next renewal and its timeout
                details.put("atRisk", stats.session().silence().compareTo(half) >= 0);
                details.put("remaining", stats.session().remaining().toString());
            } else if (here.standing() instanceof Standing.Draining draining) {
                details.put("loss", draining.loss().toString());
            }
            return details;
        }
    }

    private TenureHealth(Tenure tenure) {
        this.tenure = tenure;
    }

    /** Watches this client from now on. */
    public static TenureHealth of(Tenure tenure) {
        TenureHealth health = new TenureHealth(tenure);
        tenure.onEvent(health::on);
        return health;
    }

    private void on(TenureEvent event) {
        if (event instanceof TenureEvent.Retired gone
                && !(gone.loss() instanceof Loss.Completed || gone.loss() instanceof Loss.Closed)) {
            retired.keySet().stream().skip(RETIRED_MAX - 1).forEach(retired::remove);
            retired.put(gone.election(), gone.loss());
        }
    }

    /** The verdict now. Waits for the client's loop, a moment unless it is stuck, and never for the store. */
    public Verdict check() {
        Stats stats = tenure.stats();
        BackendTraits traits = tenure.traits();
        Duration ttl = stats.session().ttl();
        Duration silence = stats.session().silence();
        retired.keySet().removeAll(stats.byElection().keySet()); // those in which it stands again
        String reason = "";
        if (ttl.isZero()) {
            reason = "the client is closed, or its loop does not answer";
        } else if (silence.compareTo(ttl) >= 0) {
            reason = traits.store() + " has not answered for " + silence.toMillis() + " ms, and the TTL is "
                    + ttl.toMillis() + " ms";
        } else if (!retired.isEmpty()) {
            reason = "no longer stands in " + retired.keySet() + ", and was not asked to leave";
        }
        return new Verdict(reason.isEmpty(), reason, traits, stats, Map.copyOf(retired));
    }
}
