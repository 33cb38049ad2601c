// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.events;

import dev.tenure.Loss;
import dev.tenure.TenureEvent;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** One log line per transition, in words an operator would use. */
final class TransitionLog {
    private static final Logger LOG = System.getLogger("dev.tenure.transitions");

    private TransitionLog() {}

    static boolean isLogged(TenureEvent event) {
        return LOG.isLoggable(level(event));
    }

    static void log(TenureEvent event) {
        LOG.log(level(event), words(event));
    }

    private static Level level(TenureEvent event) {
        if (event instanceof TenureEvent.DrainOverdue) {
            return Level.ERROR;
        }
        if (event instanceof TenureEvent.SessionOpened || event instanceof TenureEvent.LeaderChanged) {
            return Level.DEBUG;
        }
        if (event instanceof TenureEvent.Lost lost) {
            boolean wanted = lost.loss() instanceof Loss.Completed
                    || lost.loss() instanceof Loss.Resigned
                    || lost.loss() instanceof Loss.Closed;
            return wanted ? Level.INFO : Level.WARNING;
        }
        boolean trouble = event instanceof TenureEvent.AtRisk
                || event instanceof TenureEvent.ClaimAbandoned
                || event instanceof TenureEvent.SessionLost
                || event instanceof TenureEvent.StoreError;
        return trouble ? Level.WARNING : Level.INFO;
    }

    private static String words(TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            return elected.term().election() + ": elected, token "
                    + elected.term().token();
        }
        if (event instanceof TenureEvent.AtRisk risk) {
            return risk.term().election() + ": renewals are not acknowledged; the term begins to end in "
                    + risk.untilDrain().toMillis() + " ms";
        }
        if (event instanceof TenureEvent.RenewalRecovered renewalRecovered) {
            return renewalRecovered.term().election() + ": renewals are acknowledged again";
        }
        if (event instanceof TenureEvent.DrainBegan drain) {
            return drain.term().election() + ": stepping down from token "
                    + drain.term().token() + ", " + words(drain.loss());
        }
        if (event instanceof TenureEvent.DrainOverdue overdue) {
            return overdue.term().election() + ": the duty of token "
                    + overdue.term().token() + " has not ended within its drain budget; " + overdue.action();
        }
        if (event instanceof TenureEvent.Lost lost) {
            return lost.term().election() + ": token " + lost.term().token() + " ended, " + words(lost.loss());
        }
        if (event instanceof TenureEvent.Retired retired) {
            return retired.election() + ": retired, " + words(retired.loss());
        }
        if (event instanceof TenureEvent.ClaimAbandoned abandoned) {
            return abandoned.term().election() + ": token " + abandoned.term().token() + " was granted but not led: "
                    + abandoned.why();
        }
        if (event instanceof TenureEvent.SessionLost lost) {
            return "session " + lost.session() + " lost: " + lost.why();
        }
        if (event instanceof TenureEvent.SessionOpened opened) {
            return "session " + opened.session() + " opened, TTL "
                    + opened.ttl().toMillis() + " ms";
        }
        if (event instanceof TenureEvent.StoreError trouble) {
            return "store trouble while " + trouble.doing() + ": " + trouble.problem();
        }
        if (event instanceof TenureEvent.StoreRecovered) {
            return "the store answers again";
        }
        TenureEvent.LeaderChanged changed = (TenureEvent.LeaderChanged) event;
        return changed.election() + ": led by "
                + changed.to()
                        .map(leader -> leader.node() + ", token " + leader.token())
                        .orElse("nobody");
    }

    private static String words(Loss loss) {
        if (loss instanceof Loss.Completed) {
            return "its duty completed";
        }
        if (loss instanceof Loss.Resigned resigned) {
            return "resigned: " + resigned.why();
        }
        if (loss instanceof Loss.Closed) {
            return "closed";
        }
        if (loss instanceof Loss.Expired) {
            return "no renewal was acknowledged in time";
        }
        if (loss instanceof Loss.SessionLost lost) {
            return "session lost: " + lost.why();
        }
        if (loss instanceof Loss.Superseded superseded) {
            return "superseded: " + superseded.by();
        }
        if (loss instanceof Loss.Fenced fenced) {
            return "fenced: the resource has seen token " + fenced.seen();
        }
        return "its duty failed: " + ((Loss.DutyFailed) loss).cause();
    }
}
