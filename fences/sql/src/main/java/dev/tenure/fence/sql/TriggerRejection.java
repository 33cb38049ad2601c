// SPDX-License-Identifier: Apache-2.0
package dev.tenure.fence.sql;

import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a trigger says to a write that it refuses, and what that means. */
public final class TriggerRejection {
    /** Part of every refusal of a trigger; the database's own words may stand around it. */
    private static final Pattern SEEN = Pattern.compile("fence of ([A-Za-z0-9._/-]+) has seen token ([0-9]{1,19})");

    private TriggerRejection() {}

    /** The newest token that the trigger's fence has seen, if this failure is the refusal of a stale one. */
    public static Optional<FencingToken> seen(SQLException failure) {
        Matcher matcher = SEEN.matcher(String.valueOf(failure.getMessage()));
        return matcher.find() ? Optional.of(FencingToken.parse(matcher.group(2))) : Optional.empty();
    }

    /** Did a trigger refuse a write because its transaction shows no token? */
    public static boolean isWithoutToken(SQLException failure) {
        return String.valueOf(failure.getMessage()).contains("pass without a token");
    }

    /**
     * The failure, or, where a trigger refused this term's token for this resource, what that means. A trigger can refuse
     * what the fence has let in only if the row was changed by hand.
     */
    static SQLException translated(SQLException failure, String resource, Term term) throws StaleTokenException {
        Matcher matcher = SEEN.matcher(String.valueOf(failure.getMessage()));
        if (matcher.find() && matcher.group(1).equals(resource)) {
            StaleTokenException stale = new StaleTokenException(resource, term, FencingToken.parse(matcher.group(2)));
            stale.initCause(failure);
            throw stale;
        }
        return failure;
    }
}
