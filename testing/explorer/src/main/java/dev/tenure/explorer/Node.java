package dev.tenure.explorer;

import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.Scene;
import dev.tenure.internal.engine.SessionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One process: the states of its two machines, and what the loop around them keeps. Changed only in a {@link Draft}, by
 * the step that made the copy.
 */
final class Node {
    /** Its monotonic clock. */
    long nanos;
    /** By how much its wall clock has run ahead, because the process was suspended. */
    int wallAheadTicks;

    int slips;
    SessionState session;
    ElectionState election;
    Optional<Lead> lead = Optional.empty();
    /** The highest token it knows of, now and when it sent its last claim. */
    long floor;

    long floorAtClaim;
    /** The attempt of its newest claim or release: what an older one would do next is dropped. */
    long newestCall;
    /** The nonce of the last grant that it was given in answer to its own attempt, and what it had seen before. */
    long proven;

    long seenBefore;
    /** A lost session that is closed when nothing of it runs any more; 0 if there is none. */
    int past;

    boolean closing;
    /** Its loop stands still. */
    boolean stuck;

    /**
     * A term as its duty sees it.
     *
     * @param checked the duty has asked whether it may write, was told yes, and has not written yet
     * @param expired it was seen without authority by the monotonic clock: from then on it must never have any
     */
    record Lead(Term term, int session, Stage stage, boolean checked, boolean expired) {
        Lead at(Stage next) {
            return new Lead(term, session, next, checked, expired);
        }

        Lead checking(boolean asked) {
            return new Lead(term, session, stage, asked, expired);
        }

        Lead seenExpired() {
            return new Lead(term, session, stage, checked, true);
        }
    }

    /** As in the production leadership. */
    enum Stage {
        ACTIVE,
        ENDING,
        DEAD
    }

    private Named named = new Named(Optional.empty(), List.of());

    /** The nonces of a state, found once for all worlds in which the node is in it. */
    private record Named(Optional<ElectionState> in, List<Nonce> nonces) {}

    Node(SessionState session, ElectionState election) {
        this.session = session;
        this.election = election;
    }

    Node copy() {
        Node copy = new Node(session, election);
        copy.named = named;
        copy.nanos = nanos;
        copy.wallAheadTicks = wallAheadTicks;
        copy.slips = slips;
        copy.lead = lead;
        copy.floor = floor;
        copy.floorAtClaim = floorAtClaim;
        copy.newestCall = newestCall;
        copy.proven = proven;
        copy.seenBefore = seenBefore;
        copy.past = past;
        copy.closing = closing;
        copy.stuck = stuck;
        return copy;
    }

    /** Every nonce that its election names, always in the same order. */
    List<Nonce> nonces() {
        boolean known = named.in.isPresent() && named.in.get() == election;
        if (!known) {
            List<Nonce> found = new ArrayList<>();
            Nonces.addTo(found, election);
            named = new Named(Optional.of(election), found);
        }
        return named.nonces;
    }

    long wallMillis() {
        return nanos / 1_000_000 + wallAheadTicks * (Machines.TICK / 1_000_000);
    }

    Optional<SessionState.Open> open() {
        return session instanceof SessionState.Open open ? Optional.of(open) : Optional.empty();
    }

    Scene scene() {
        Optional<SessionState.Open> open = open();
        boolean authorised = open.isPresent() && open.get().authority().allows(nanos, wallMillis());
        return new Scene(nanos, open, authorised);
    }

    /** The term that holds a claim now, led or not. */
    Optional<ElectionState.Grant> held() {
        if (election instanceof ElectionState.Raising raising) {
            return Optional.of(raising.grant());
        }
        if (election instanceof ElectionState.Leading leading) {
            return Optional.of(leading.grant());
        }
        return election instanceof ElectionState.Draining draining ? Optional.of(draining.grant()) : Optional.empty();
    }

    /** The session under which its election holds a claim, or gives one up. */
    Optional<String> claimant() {
        if (election instanceof ElectionState.Releasing releasing) {
            return Optional.of(releasing.session());
        }
        if (election instanceof ElectionState.Forsaken forsaken) {
            return Optional.of(forsaken.grant().session());
        }
        return held().map(ElectionState.Grant::session);
    }

    boolean mayWrite(Bounds bounds) {
        boolean blind = bounds.has(Sabotage.WALL_CLOCK_IGNORED);
        return mayWrite(blind ? Long.MIN_VALUE / 4 : wallMillis());
    }

    /** The same without the wall clock, which may give back what it withdrew. */
    boolean mayWriteByDeadline() {
        return mayWrite(Long.MIN_VALUE / 4);
    }

    private boolean mayWrite(long wallMillis) {
        return lead.isPresent()
                && lead.get().stage() != Stage.DEAD
                && session instanceof SessionState.Open open
                && Machines.number(open.id()) == lead.get().session()
                && open.authority().allows(nanos, wallMillis);
    }
}
