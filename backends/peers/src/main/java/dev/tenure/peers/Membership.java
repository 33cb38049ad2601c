package dev.tenure.peers;

import dev.tenure.algorithms.Group;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Who belongs to the group. Everybody has the same numbers, whatever the order in its URL: they follow the names.
 *
 * @param members by their numbers, which begin at 1
 * @param me nobody, where somebody only looks
 */
record Membership(List<Peer> members, Optional<Peer> me) {
    /** One member: its number, its name, and where the others find it. */
    record Peer(int id, String name, String host, int port) {
        boolean isAtTheAddressOf(Peer other) {
            return host.equalsIgnoreCase(other.host) && port == other.port;
        }

        @Override
        public String toString() {
            return name + "@" + host + ":" + port;
        }
    }

    static Membership of(List<Peer> unordered, Optional<String> me) {
        List<Peer> members = new ArrayList<>();
        unordered.stream()
                .sorted(Comparator.comparing(Peer::name))
                .forEach(peer -> members.add(new Peer(members.size() + 1, peer.name(), peer.host(), peer.port())));
        Membership observed = new Membership(List.copyOf(members), Optional.empty());
        return new Membership(
                observed.members(),
                me.map(name -> observed.named(name)
                        .orElseThrow(() -> Trouble.refused("me=" + name + " is none of the members " + members))));
    }

    int majority() {
        return members.size() / 2 + 1;
    }

    Peer self() {
        return me.orElseThrow();
    }

    boolean isMe(int id) {
        return me.isPresent() && me.get().id() == id;
    }

    List<Peer> others() {
        return members.stream().filter(peer -> !isMe(peer.id())).toList();
    }

    Optional<Peer> named(String name) {
        return members.stream().filter(peer -> peer.name().equals(name)).findFirst();
    }

    String names() {
        return members.stream().map(Peer::name).collect(Collectors.joining(","));
    }

    Group group() {
        return new Group(self().id(), members.stream().map(Peer::id).toList());
    }
}
