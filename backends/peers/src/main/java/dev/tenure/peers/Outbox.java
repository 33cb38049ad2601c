package dev.tenure.peers;

import dev.tenure.peers.wire.Frames;
import dev.tenure.spi.Host;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is said in one turn of the loop travels in one frame for each line: the heartbeats of all elections, and the answers to them. What
 * is said to somebody without a line is not said: every message can be lost.
 */
final class Outbox {
    private static final int FRAME_BYTES = Frames.BYTES_MAX / 4;

    private final Host host;
    private final Map<Integer, Line> lines = new HashMap<>();
    private final Map<Line, ByteArrayOutputStream> waiting = new LinkedHashMap<>();

    Outbox(Host host) {
        this.host = host;
    }

    void linked(int member, Line line) {
        lines.put(member, line);
    }

    /** Was it the line in use? */
    boolean unlinked(int member, Line line) {
        waiting.remove(line);
        return lines.remove(member, line);
    }

    boolean isUsed(int member, Line line) {
        return lines.get(member) == line;
    }

    Set<Integer> reached() {
        return Set.copyOf(lines.keySet());
    }

    void send(int member, Item item) {
        Optional.ofNullable(lines.get(member)).ifPresent(line -> send(line, item));
    }

    void sendAll(Item item) {
        lines.values().forEach(line -> send(line, item));
    }

    void send(Line line, Item item) {
        if (waiting.isEmpty()) {
            host.post(this::flush);
        }
        ByteArrayOutputStream frame = waiting.computeIfAbsent(line, none -> new ByteArrayOutputStream());
        byte[] bytes = ItemText.write(item);
        if (frame.size() > 0 && frame.size() + bytes.length > FRAME_BYTES) {
            line.send(frame.toByteArray());
            frame.reset();
        }
        frame.writeBytes(bytes);
    }

    private void flush() {
        waiting.forEach((line, frame) -> line.send(frame.toByteArray()));
        waiting.clear();
    }
}
