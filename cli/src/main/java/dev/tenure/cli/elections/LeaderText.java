// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

import dev.tenure.Leader;
import dev.tenure.cli.command.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;

/** A leader as it is shown. */
public final class LeaderText {
    private LeaderText() {}

    public static Map<String, Object> json(Leader leader) {
        Map<String, Object> shown =
                Json.object("node", leader.node(), "token", leader.token().toString());
        if (isSinceKnown(leader)) {
            shown.put("since", leader.since());
        }
        shown.put("metadata", new TreeMap<>(leader.metadata().entries()));
        leader.foreign().ifPresent(foreign -> {
            shown.put("foreign", true);
            shown.put("stuck", foreign.stuck());
            shown.put("remedy", foreign.remedy());
        });
        return shown;
    }

    /** {@code host-7 leads with token 42}. */
    public static String sentence(Leader leader) {
        return leader.node() + " leads with token " + leader.token()
                + (isStuck(leader) ? " and does not go by itself" : "");
    }

    static boolean isStuck(Leader leader) {
        return leader.foreign().filter(Leader.Foreign::stuck).isPresent();
    }

    /** Why a foreign leader obeys no request, and what to do instead. */
    public static String remedy(Leader leader, Leader.Foreign foreign) {
        return foreign.stuck()
                ? leader.election() + " is held by '" + leader.node()
                        + "' with no session or lease behind it, so it does not go by itself."
                        + " Make sure that its holder has stopped, then: " + foreign.remedy()
                : leader.election() + " is led by '" + leader.node()
                        + "', which is no candidate of Tenure and obeys no request. To end it, " + foreign.remedy();
    }

    /** Those who lead with another library do not say since when. */
    private static boolean isSinceKnown(Leader leader) {
        return leader.since().isAfter(Instant.EPOCH);
    }

    /** {@code 2026-11-16T01:20:05Z (3m)}: the leader's own clock, and how long ago that is on ours. */
    static String since(Leader leader, long nowMillis) {
        if (!isSinceKnown(leader)) {
            return "unknown";
        }
        Duration age = Duration.between(leader.since(), Instant.ofEpochMilli(nowMillis));
        Instant shown = leader.since().truncatedTo(ChronoUnit.SECONDS);
        return age.isNegative() ? shown.toString() : shown + " (" + age(age) + ")";
    }

    private static String age(Duration age) {
        return age.toMinutes() == 0
                ? age.toSeconds() + "s"
                : age.toHours() == 0
                        ? age.toMinutes() + "m"
                        : age.toDays() == 0 ? age.toHours() + "h" : age.toDays() + "d";
    }
}
