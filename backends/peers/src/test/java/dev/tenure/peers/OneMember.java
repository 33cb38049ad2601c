// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.quorum.LeaseMessage;
import dev.tenure.algorithms.quorum.QuorumMessage;
import dev.tenure.algorithms.quorum.QuorumState.Ballot;
import dev.tenure.algorithms.raft.LogPosition;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.contract.Recorder;
import dev.tenure.peers.connection.PeerConnection;
import dev.tenure.peers.connection.PeerMessage;
import dev.tenure.peers.group.AlgorithmAdapter;
import dev.tenure.peers.group.PeersSettings;
import dev.tenure.peers.group.PeersSettings.TimingProfile;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.StoreEra;
import dev.tenure.testing.VirtualHost;
import dev.tenure.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Member {@code b} of {@code a,b,c} in virtual time, without a network and a disk: the test plays the two others. */
final class OneMember implements AutoCloseable {
    static final ElectionName ELECTION = ElectionName.of("sweeper");
    static final long BASE = 1000;
    static final Duration LEASE = TimingProfile.DEFAULT.electionMin();
    static final Duration LONG_AFTER = LEASE.multipliedBy(2);
    static final Duration INSTANT = Duration.ofMillis(1);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    final VirtualTime time = new VirtualTime();
    final VirtualHost host = new VirtualHost("b", time, 7);
    final SlowDisk disk = new SlowDisk(host);
    final Recorder events = new Recorder();
    final Member member;
    private final AlgorithmAdapter rules;
    private final Map<Integer, PlayedConnection> lines = new TreeMap<>();

    OneMember(String algorithm, Ballot... written) {
        String url = "peers://a@localhost:7001,b@localhost:7002,c@localhost:7003?me=b&data=/none&algorithm=";
        PeersSettings settings = PeersSettings.of(BackendUrl.parse(url + algorithm), Map.of());
        rules = settings.rules();
        member = new Member(settings, host, new BallotJournal(written(written), disk));
        host.post(member::start);
        time.settle();
        List.of(1, 3).forEach(this::link);
    }

    private static JournalFile.Content written(Ballot... ballots) {
        Map<ElectionName, Ballot> kept = new TreeMap<>();
        List.of(ballots).forEach(ballot -> kept.put(ELECTION, ballot));
        return new JournalFile.Content(BASE, 0, kept);
    }

    /** Over a new line, which takes the place of the one before. */
    void link(int peer) {
        PlayedConnection line =
                new PlayedConnection(member.settings.membership().members().get(peer - 1));
        lines.put(peer, line);
        host.post(() -> member.linked(line, BASE));
        time.settle();
    }

    PlayedConnection line(int peer) {
        return lines.get(peer);
    }

    void hears(int peer, PeerMessage item) {
        hears(line(peer), item);
    }

    void hears(PeerConnection line, PeerMessage item) {
        host.post(() -> member.received(line, item));
        time.settle();
    }

    void hears(int peer, Message message) {
        hears(peer, new PeerMessage.AlgorithmMessage(ELECTION, message));
    }

    // --- what a candidate, a voter and a leader say, in the words of the algorithm

    /** The others live, and nothing else happens. */
    void passes(Duration duration) {
        Duration beat = TimingProfile.DEFAULT.heartbeat();
        for (Duration left = duration; left.compareTo(Duration.ZERO) > 0; left = left.minus(beat)) {
            time.advance(left.compareTo(beat) < 0 ? left : beat);
            lines.keySet().forEach(peer -> hears(peer, new PeerMessage.Beat()));
        }
    }

    void isAskedForItsVote(int candidate, long term) {
        hears(
                candidate,
                rules == AlgorithmAdapter.RAFT
                        ? new RaftMessage.RequestVote(term, LogPosition.EMPTY)
                        : new QuorumMessage.Stand(term));
    }

    boolean hasVotedFor(int candidate, long term) {
        return line(candidate)
                .hasSaid(
                        rules == AlgorithmAdapter.RAFT
                                ? new RaftMessage.Voted(term, true)
                                : new QuorumMessage.Vote(term));
    }

    void hearsLeader(int leader, long term) {
        hears(
                leader,
                rules == AlgorithmAdapter.RAFT
                        ? new RaftMessage.Append(term, LogPosition.EMPTY, 77)
                        : new LeaseMessage.Keep(term, 77));
    }

    void hearsResignation(int leader, long term) {
        hears(
                leader,
                rules == AlgorithmAdapter.RAFT
                        ? new RaftMessage.Resigned(term, leader)
                        : new LeaseMessage.Left(term, leader));
    }

    boolean hasAskedForAVote() {
        return line(1).said(RaftMessage.PreVote.class).findAny().isPresent() || hasStood();
    }

    boolean hasStood() {
        return line(1).said(RaftMessage.RequestVote.class).findAny().isPresent()
                || line(1).said(QuorumMessage.Stand.class).findAny().isPresent();
    }

    // --- somebody here who wants to lead

    PeersSession session() {
        return new PeersSession("b-1", member, events, new StoreEra("peers-test", 0));
    }

    CompletableFuture<ClaimReply> claim(PeersSession session, Nonce nonce) {
        CompletableFuture<ClaimReply> reply = session.claim(
                        new ClaimRequest(ELECTION, nonce, 0, "node-b", LeaderMetadata.EMPTY))
                .toCompletableFuture();
        time.settle();
        return reply;
    }

    /** Gives it all the votes that it asks for, and nothing more. */
    void elect() {
        until(this::hasAskedForAVote);
        if (rules == AlgorithmAdapter.RAFT) {
            hears(
                    1,
                    new RaftMessage.PreVoted(
                            line(1).lastSaid(RaftMessage.PreVote.class).term(), true));
            until(this::hasStood);
            hears(
                    1,
                    new RaftMessage.Voted(
                            line(1).lastSaid(RaftMessage.RequestVote.class).term(), true));
        } else {
            hears(
                    1,
                    new QuorumMessage.Vote(
                            line(1).lastSaid(QuorumMessage.Stand.class).term()));
        }
    }

    /** The newest heartbeat that member 1 was sent. */
    Message heartbeat() {
        return rules == AlgorithmAdapter.RAFT
                ? line(1).lastSaid(RaftMessage.Append.class)
                : line(1).lastSaid(LeaseMessage.Keep.class);
    }

    void answerHeartbeat() {
        answer(heartbeat());
    }

    void answer(Message heartbeat) {
        if (heartbeat instanceof RaftMessage.Append beat) {
            hears(1, new RaftMessage.Appended(beat.term(), LogPosition.EMPTY, beat.sentNanos()));
        } else if (heartbeat instanceof LeaseMessage.Keep beat) {
            hears(1, new LeaseMessage.Kept(beat.term(), beat.sentNanos()));
        }
    }

    /** Member 1 keeps the newest record that it was told of. */
    void keepHolding(int era) {
        PeerMessage.Put put = line(1).lastItem(PeerMessage.Put.class);
        hears(1, new PeerMessage.AnswerMessage(put.id(), new PeerMessage.Answer.EraIs(era)));
    }

    ClaimReply.Granted lead(PeersSession session, Nonce nonce) {
        CompletableFuture<ClaimReply> reply = claim(session, nonce);
        elect();
        keepHolding(0);
        answerHeartbeat();
        return (ClaimReply.Granted) told(reply);
    }

    /** In virtual time nothing more happens by waiting. */
    static <T> T told(CompletableFuture<T> reply) {
        if (!reply.isDone()) {
            throw new AssertionError("there is no reply yet");
        }
        return reply.join();
    }

    private void until(java.util.function.BooleanSupplier condition) {
        long limitNanos = time.nanos() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (!time.runNextUntil(limitNanos)) {
                throw new AssertionError("it never did what the test waits for");
            }
        }
    }

    @Override
    public void close() {
        host.close();
    }
}
