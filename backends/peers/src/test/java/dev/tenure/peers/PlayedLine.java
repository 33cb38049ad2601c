package dev.tenure.peers;

import dev.tenure.algorithms.Message;
import dev.tenure.peers.wire.Garbled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A line to a member that the test plays: it remembers what it was told. */
final class PlayedLine implements Line {
    private final Optional<Membership.Peer> peer;
    private final List<Item> items = new ArrayList<>();

    PlayedLine(Membership.Peer peer) {
        this.peer = Optional.of(peer);
    }

    /** To somebody who only looks. */
    PlayedLine() {
        this.peer = Optional.empty();
    }

    @Override
    public Optional<Membership.Peer> peer() {
        return peer;
    }

    @Override
    public void send(byte[] frame) {
        try {
            items.addAll(ItemText.readAll(frame));
        } catch (Garbled broken) {
            throw new AssertionError("a member says what nobody understands", broken);
        }
    }

    void forget() {
        items.clear();
    }

    <T extends Item> Stream<T> items(Class<T> kind) {
        return items.stream().filter(kind::isInstance).map(kind::cast);
    }

    <T extends Item> T lastItem(Class<T> kind) {
        return items(kind).reduce((before, last) -> last).orElseThrow();
    }

    <T extends Message> Stream<T> said(Class<T> kind) {
        return items(Item.Said.class)
                .map(Item.Said::message)
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
