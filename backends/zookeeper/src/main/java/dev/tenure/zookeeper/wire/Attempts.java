package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;

/**
 * Goes round the servers until one accepts a connection. After a loss another server is asked almost at once; only who has
 * asked them all in vain waits before it asks again, a little longer each time.
 */
final class Attempts {
    private static final Duration PATIENCE_MIN = Duration.ofMillis(500);
    private static final Duration FIRST_WAIT = Duration.ofMillis(100);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final Setup setup;
    private final BiConsumer<Server, SocketChannel> accepted;
    private final Runnable refused;
    private final List<Server> order;
    private final Map<Server, String> troubles = new LinkedHashMap<>();
    private int next;
    private int inVain;
    private boolean over;

    Attempts(Setup setup, BiConsumer<Server, SocketChannel> accepted, Runnable refused) {
        this.setup = setup;
        this.accepted = accepted;
        this.refused = refused;
        this.order = new ArrayList<>(setup.servers());
        Collections.shuffle(order, new Random(setup.chance().getAsLong())); // clients spread over the servers
    }

    /** How long one server has to let a client in. */
    Duration patience() {
        Duration share = Duration.ofMillis(setup.timeoutMillis() / (2L * order.size()));
        return share.compareTo(PATIENCE_MIN) > 0 ? share : PATIENCE_MIN;
    }

    void begin() {
        setup.connects().execute(this::attempt);
    }

    private void attempt() {
        Server server;
        synchronized (this) {
            if (over) {
                return;
            }
            server = order.get(next);
        }
        try {
            accepted.accept(server, server.reach(patience()));
        } catch (IOException | RuntimeException unreachable) {
            again(false, unreachable);
            refused.run();
        }
    }

    synchronized void succeeded() {
        inVain = 0;
        troubles.clear();
    }

    /** The current server was lost, or did not let us in. */
    synchronized void again(boolean wasInside, Exception why) {
        troubles.put(order.get(next), trouble(why));
        next = (next + 1) % order.size();
        inVain = wasInside ? 0 : inVain + 1;
        if (!over) {
            setup.timers().after(delay(), () -> setup.connects().execute(this::attempt));
        }
    }

    private static String trouble(Exception why) {
        String message = why.getMessage();
        return message == null ? why.getClass().getSimpleName() : message;
    }

    /** Those who lose their server together do not all knock at the next one in the same moment. */
    private Duration delay() {
        int rounds = inVain / order.size() + (order.size() == 1 ? 1 : 0);
        long longestMillis = Math.min(LONGEST_WAIT.toMillis(), FIRST_WAIT.toMillis() * (1L + 2L * rounds));
        long shortestMillis = rounds == 0 ? 0 : longestMillis / 2;
        long spreadMillis = Math.max(1, longestMillis - shortestMillis);
        return Duration.ofMillis(shortestMillis + Math.floorMod(setup.chance().getAsLong(), spreadMillis));
    }

    synchronized void end() {
        over = true;
    }

    synchronized List<String> troubles() {
        return troubles.entrySet().stream()
                .map(trouble -> trouble.getKey() + ": " + trouble.getValue())
                .toList();
    }
}
