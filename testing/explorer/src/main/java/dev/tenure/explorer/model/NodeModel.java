// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.explorer.Bounds;
import dev.tenure.explorer.BrokenRule;
import dev.tenure.internal.engine.ElectionState;
import dev.tenure.internal.engine.SessionState;
import dev.tenure.internal.engine.StepContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One process: the states of its two machines, and what the loop around them keeps. Changed only in a {@link MutableWorld}, by
 * the step that made the copy.
 */
public final class NodeModel {
    /** Its monotonic clock. */
    public long nanos;
    /** By how much its wall clock has run ahead, because the process was suspended. */
    public int wallAheadTicks;

    public int slips;
    public SessionState session;
    public ElectionState election;
    public Optional<Lead> lead = Optional.empty();
    /** The highest token it knows of, now and when it sent its last claim. */
    public long floor;

    public long floorAtClaim;
    /** The attempt of its newest claim or release: what an older one would do next is dropped. */
    public long newestCall;
    /** The nonce of the last grant that it was given in answer to its own attempt, and what it had seen before. */
    public long proven;

    public long seenBefore;
    /** A lost session that is closed when nothing of it runs any more; 0 if there is none. */
    public int past;

    public boolean closing;
    /** Its loop stands still. */
    public boolean stuck;

    /**
     * A term as its duty sees it.
     *
     * @param checked the duty has asked whether it may write, was told yes, and has not written yet
     * @param expired it was seen without authority by the monotonic clock: from then on it must never have any
     */
    public record Lead(Term term, int session, Stage stage, boolean checked, boolean expired) {
        public Lead at(Stage next) {
            return new Lead(term, session, next, checked, expired);
        }

        public Lead checking(boolean asked) {
            return new Lead(term, session, stage, asked, expired);
        }

        Lead seenExpired() {
            return new Lead(term, session, stage, checked, true);
        }
    }

    /** As in the production leadership. */
    public enum Stage {
        ACTIVE,
        ENDING,
        DEAD
    }

    private Named named = new Named(Optional.empty(), List.of());

    /** The nonces of a state, found once for all worlds in which the node is in it. */
    private record Named(Optional<ElectionState> in, List<Nonce> nonces) {}

    NodeModel(SessionState session, ElectionState election) {
        this.session = session;
        this.election = election;
    }

    NodeModel copy() {
        NodeModel copy = new NodeModel(session, election);
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
    public List<Nonce> nonces() {
        boolean known = named.in.isPresent() && named.in.get() == election;
        if (!known) {
            List<Nonce> found = new ArrayList<>();
            Nonces.addTo(found, election);
            named = new Named(Optional.of(election), found);
        }
        return named.nonces;
    }

    public long wallMillis() {
        return nanos / 1_000_000 + wallAheadTicks * (Machines.TICK / 1_000_000);
    }

    public Optional<SessionState.Open> open() {
        return session instanceof SessionState.Open open ? Optional.of(open) : Optional.empty();
    }

    public StepContext context() {
        Optional<SessionState.Open> open = open();
        boolean authorised = open.isPresent() && open.get().authority().allows(nanos, wallMillis());
        return new StepContext(nanos, open, authorised, Machines.SHORT);
    }

    /** The term that holds a claim now, led or not. */
    public Optional<ElectionState.Grant> held() {
        if (election instanceof ElectionState.RaisingFences raising) {
            return Optional.of(raising.grant());
        }
        if (election instanceof ElectionState.Leading leading) {
            return Optional.of(leading.grant());
        }
        return election instanceof ElectionState.Draining draining ? Optional.of(draining.grant()) : Optional.empty();
    }

    /** The session under which its election holds a claim, or gives one up. */
    public Optional<String> claimant() {
        if (election instanceof ElectionState.Releasing releasing) {
            return Optional.of(releasing.session());
        }
        if (election instanceof ElectionState.ReleasedEarly released) {
            return Optional.of(released.grant().session());
        }
        return held().map(ElectionState.Grant::session);
    }

    public boolean mayWrite(Bounds bounds) {
        boolean blind = bounds.has(BrokenRule.WALL_CLOCK_IGNORED);
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
