package dev.tenure.peers;

import dev.tenure.FencingToken;
import java.util.Optional;
import java.util.function.Predicate;

/** What this member knows of the leader of one election: whom its machine follows, and what that one said of itself. */
final class LeaderView {
    private final Member member;
    private final Profile profile;
    private final Predicate<FencingToken> heldHere;
    private Optional<Followed> followed = Optional.empty();
    private Optional<Holding> holding = Optional.empty();

    private record Followed(int leader, long term, long heardNanos) {}

    /** @param heldHere does somebody at this member lead by this token? */
    LeaderView(Member member, Predicate<FencingToken> heldHere) {
        this.member = member;
        this.profile = member.settings().profile();
        this.heldHere = heldHere;
    }

    void follows(int leader, long term) {
        followed = Optional.of(new Followed(leader, term, member.host().nanos()));
    }

    void followsNobody() {
        followed = Optional.empty();
    }

    boolean hearsLeader() {
        return followed.filter(one -> isWithin(one, profile.electionMin().toNanos()))
                .isPresent();
    }

    private boolean isWithin(Followed one, long nanos) {
        return member.host().nanos() - one.heardNanos() < nanos;
    }

    Optional<Holding> holding() {
        return holding;
    }

    /** Keeps what is newer than what it has, and tells whether it was. */
    boolean keep(Holding told) {
        boolean newer = holding.map(told::isNewerThan).orElse(true);
        if (newer) {
            holding = Optional.of(told);
        }
        return newer;
    }

    Optional<Holding> alive() {
        return holding.filter(held -> held.fate() == Holding.Fate.HELD).filter(this::isAlive);
    }

    private boolean isAlive(Holding held) {
        if (member.settings().membership().isMe(held.member())) {
            return heldHere.test(held.token());
        }
        if (!member.settings().rules().hasTerms()) {
            return !member.suspected().contains(held.member());
        }
        return followed.filter(one -> one.leader() == held.member()
                        && one.term() == held.token().sequence()
                        && isWithin(one, profile.electionMax().toNanos()))
                .isPresent();
    }
}
