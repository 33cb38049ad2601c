package dev.tenure.peers;

import java.util.List;
import java.util.Optional;

/** One line to another process, after the greeting. */
interface Line {
    /** Nobody of the group, for somebody who only looks. */
    Optional<Membership.Peer> peer();

    /** Never waits, and promises nothing: whatever is said can be lost. */
    void send(byte[] frame);

    /** Who hears what comes over lines; on their threads. */
    interface Listener {
        void linked(Line line, long base);

        void received(Line line, List<Item> items);

        void unlinked(Line line);
    }
}
