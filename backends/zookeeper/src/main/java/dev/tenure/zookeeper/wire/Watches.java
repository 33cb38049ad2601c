package dev.tenure.zookeeper.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Who wants to hear of what. Guarded by its wire. */
final class Watches {
    private static final int XID = -8;
    private static final int TOGETHER_MAX = 500;

    private final Map<String, Consumer<Event>> once = new HashMap<>();
    private final Map<String, Consumer<Event>> always = new HashMap<>();

    /** Of the next change of this znode, or of its end. */
    void once(String path, Consumer<Event> watcher) {
        once.put(path, watcher);
    }

    /** Of every change at and below this path. */
    void always(String path, Consumer<Event> watcher) {
        always.put(path, watcher);
    }

    /** Who is to hear of it, if somebody wanted to. */
    Optional<Consumer<Event>> of(Event event) {
        Consumer<Event> waiting = once.remove(event.path());
        return waiting != null ? Optional.of(waiting) : below(event.path());
    }

    private Optional<Consumer<Event>> below(String path) {
        for (Map.Entry<String, Consumer<Event>> entry : always.entrySet()) {
            String top = entry.getKey();
            boolean below = path.startsWith(top) && (path.length() == top.length() || path.charAt(top.length()) == '/');
            if (below) {
                return Optional.of(entry.getValue());
            }
        }
        return Optional.empty();
    }

    /** A new connection must be told of all of them; the server answers with what was missed. */
    List<ByteBuffer> again(long lastZxid) {
        List<ByteBuffer> frames = new ArrayList<>();
        List<String> paths = List.copyOf(once.keySet());
        for (int from = 0; from < paths.size(); from += TOGETHER_MAX) {
            List<String> some = paths.subList(from, Math.min(paths.size(), from + TOGETHER_MAX));
            frames.add(frame(lastZxid, some, List.of()));
        }
        if (!always.isEmpty()) {
            frames.add(frame(lastZxid, List.of(), List.copyOf(always.keySet())));
        }
        return frames;
    }

    private static ByteBuffer frame(long lastZxid, List<String> once, List<String> always) {
        List<String> none = List.of();
        return Ask.frame(
                XID,
                OpType.SET_WATCHES2,
                out -> out.longNumber(lastZxid)
                        .texts(once)
                        .texts(none)
                        .texts(none)
                        .texts(none)
                        .texts(always));
    }

    static boolean isAnswer(int xid) {
        return xid == XID;
    }
}
