package dev.tenure.internal.loop;

import dev.tenure.Loss;
import dev.tenure.TenureEvent;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** One log line per transition, in words an operator would use. */
final class Transitions {
    private static final Logger LOG = System.getLogger("dev.tenure");

    private Transitions() {}

    static void log(TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            LOG.log(
                    Level.INFO,
                    () -> elected.term().election() + ": elected, token "
                            + elected.term().token());
        } else if (event instanceof TenureEvent.AtRisk risk) {
            LOG.log(
                    Level.WARNING,
                    () -> risk.term().election() + ": renewals are not acknowledged; the term begins to end in "
                            + risk.untilDrain().toMillis() + " ms");
        } else if (event instanceof TenureEvent.Reassured reassured) {
            LOG.log(Level.INFO, () -> reassured.term().election() + ": renewals are acknowledged again");
        } else if (event instanceof TenureEvent.DrainBegan drain) {
            LOG.log(
                    Level.INFO,
                    () -> drain.term().election() + ": stepping down from token "
                            + drain.term().token() + ", " + words(drain.loss()));
        } else if (event instanceof TenureEvent.DrainOverdue overdue) {
            LOG.log(
                    Level.ERROR,
                    () -> overdue.term().election() + ": the duty of token "
                            + overdue.term().token() + " has not ended within its drain budget; " + overdue.action());
        } else if (event instanceof TenureEvent.Lost lost) {
            LOG.log(
                    level(lost.loss()),
                    () -> lost.term().election() + ": token " + lost.term().token() + " ended, " + words(lost.loss()));
        } else if (event instanceof TenureEvent.Retired retired) {
            LOG.log(Level.INFO, () -> retired.election() + ": retired, " + words(retired.loss()));
        } else if (event instanceof TenureEvent.ClaimAbandoned abandoned) {
            LOG.log(
                    Level.WARNING,
                    () -> abandoned.term().election() + ": token "
                            + abandoned.term().token() + " was granted but not led: " + abandoned.why());
        } else if (event instanceof TenureEvent.SessionLost lost) {
            LOG.log(Level.WARNING, () -> "session " + lost.session() + " lost: " + lost.why());
        } else if (event instanceof TenureEvent.SessionOpened opened) {
            LOG.log(
                    Level.DEBUG,
                    () -> "session " + opened.session() + " opened, TTL "
                            + opened.ttl().toMillis() + " ms");
        } else if (event instanceof TenureEvent.StoreTrouble trouble) {
            LOG.log(Level.WARNING, () -> "store trouble while " + trouble.doing() + ": " + trouble.problem());
        }
    }

    private static Level level(Loss loss) {
        boolean wanted = loss instanceof Loss.Completed || loss instanceof Loss.Resigned || loss instanceof Loss.Closed;
        return wanted ? Level.INFO : Level.WARNING;
    }

    static String words(Loss loss) {
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
