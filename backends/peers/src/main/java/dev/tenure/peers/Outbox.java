package dev.tenure.peers;

import dev.tenure.spi.Host;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is said in one turn of the loop travels in one frame for each connection: the heartbeats of all elections, and the answers to them. What
 * is said to somebody without a connection is not said: every message can be lost.
 */
final class Outbox {
    private static final int FRAME_BYTES = FrameStream.BYTES_MAX / 4;

    private final Host host;
    private final Map<Integer, PeerConnection> connections = new HashMap<>();
    private final Map<PeerConnection, ByteArrayOutputStream> waiting = new LinkedHashMap<>();

    Outbox(Host host) {
        this.host = host;
    }

    void linked(int member, PeerConnection connection) {
        connections.put(member, connection);
    }

    /** Was it the connection in use? */
    boolean unlinked(int member, PeerConnection connection) {
        waiting.remove(connection);
        return connections.remove(member, connection);
    }

    boolean isUsed(int member, PeerConnection connection) {
        return connections.get(member) == connection;
    }

    Set<Integer> reached() {
        return Set.copyOf(connections.keySet());
    }

    void send(int member, PeerMessage item) {
        Optional.ofNullable(connections.get(member)).ifPresent(connection -> send(connection, item));
    }

    void sendAll(PeerMessage item) {
        connections.values().forEach(connection -> send(connection, item));
    }

    void send(PeerConnection connection, PeerMessage item) {
        if (waiting.isEmpty()) {
            host.post(this::flush);
        }
        ByteArrayOutputStream frame = waiting.computeIfAbsent(connection, none -> new ByteArrayOutputStream());
        byte[] bytes = FrameCodec.write(item);
        if (frame.size() > 0 && frame.size() + bytes.length > FRAME_BYTES) {
            connection.send(frame.toByteArray());
            frame.reset();
        }
        frame.writeBytes(bytes);
    }

    private void flush() {
        waiting.forEach((connection, frame) -> connection.send(frame.toByteArray()));
        waiting.clear();
    }
}
