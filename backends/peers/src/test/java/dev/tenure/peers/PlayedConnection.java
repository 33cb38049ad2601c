// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import dev.tenure.algorithms.Message;
import dev.tenure.peers.connection.FrameCodec;
import dev.tenure.peers.connection.PeerConnection;
import dev.tenure.peers.connection.PeerMessage;
import dev.tenure.peers.group.PeersSettings.Membership;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A line to a member that the test plays: it remembers what it was told. */
final class PlayedConnection implements PeerConnection {
    private final Optional<Membership.Peer> peer;
    private final List<PeerMessage> items = new ArrayList<>();

    PlayedConnection(Membership.Peer peer) {
        this.peer = Optional.of(peer);
    }

    /** To somebody who only looks. */
    PlayedConnection() {
        this.peer = Optional.empty();
    }

    @Override
    public Optional<Membership.Peer> peer() {
        return peer;
    }

    @Override
    public void send(PeerMessage message) {
        try {
            items.add(FrameCodec.decode(PeerMessage.class, FrameCodec.encode(PeerMessage.class, message)));
        } catch (ProtocolException broken) {
            throw new AssertionError("a member says what nobody understands", broken);
        }
    }

    void forget() {
        items.clear();
    }

    <T extends PeerMessage> Stream<T> items(Class<T> kind) {
        return items.stream().filter(kind::isInstance).map(kind::cast);
    }

    <T extends PeerMessage> T lastItem(Class<T> kind) {
        return items(kind).reduce((before, last) -> last).orElseThrow();
    }

    <T extends Message> Stream<T> said(Class<T> kind) {
        return items(PeerMessage.AlgorithmMessage.class)
                .map(PeerMessage.AlgorithmMessage::message)
                .filter(kind::isInstance)
                .map(kind::cast);
    }

    <T extends Message> T lastSaid(Class<T> kind) {
        return said(kind).reduce((before, last) -> last).orElseThrow();
    }

    boolean hasSaid(Message message) {
        return said(Message.class).anyMatch(message::equals);
    }
}
