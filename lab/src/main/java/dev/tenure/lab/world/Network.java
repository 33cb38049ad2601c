// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.world;

import dev.tenure.algorithms.Message;
import dev.tenure.lab.trace.MessageTrace;
import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A link from every node to every other one. A message takes between one and ten milliseconds and does not overtake those before it on
 * the same link, unless the link is lossy or slow. Whether a link is cut is asked when a message is sent; whether its receiver lives,
 * when it arrives.
 */
final class Network {
    private static final long DELAY_MIN_NANOS = 1_000_000;
    private static final long DELAY_SPREAD_NANOS = 9_000_000;
    private static final int PERCENT = 100;

    /** One direction. Faults may lie over each other, hence the counters. */
    private static final class Link {
        private int cuts;
        private int lossPercent;
        private long extraNanos;
        private long lastArrivalNanos;

        private boolean keepsOrder() {
            return lossPercent == 0 && extraNanos == 0;
        }
    }

    /** Hands a message over; false if nobody is there. */
    interface Receiver {
        boolean receive(int from, int to, Message message);
    }

    private final VirtualTime time;
    private final SplitMix64 random;
    private final Receiver receiver;
    private final Link[][] links;
    private final List<MessageTrace> messageTraces = new ArrayList<>();

    Network(int nodes, VirtualTime time, SplitMix64 random, Receiver receiver) {
        this.time = time;
        this.random = random;
        this.receiver = receiver;
        this.links = new Link[nodes + 1][nodes + 1];
        for (Link[] row : links) {
            for (int to = 0; to < row.length; to++) {
                row[to] = new Link();
            }
        }
    }

    void send(int from, int to, Message message) {
        Link link = links[from][to];
        if (link.cuts > 0) {
            messageTraces.add(lost(from, to, message, "cut"));
            return;
        }
        if (random.below(PERCENT) < link.lossPercent) {
            messageTraces.add(lost(from, to, message, "lost"));
            return;
        }
        travel(from, to, message, link);
        if (link.lossPercent > 0 && random.below(2L * PERCENT) < link.lossPercent) {
            travel(from, to, message, link);
        }
    }

    private MessageTrace lost(int from, int to, Message message, String why) {
        return new MessageTrace(from, to, message, time.nanos(), OptionalLong.empty(), why);
    }

    private void travel(int from, int to, Message message, Link link) {
        long arrival = time.nanos() + DELAY_MIN_NANOS + random.below(DELAY_SPREAD_NANOS);
        if (link.extraNanos > 0) {
            arrival += random.below(link.extraNanos);
        }
        if (link.keepsOrder()) {
            arrival = Math.max(arrival, link.lastArrivalNanos);
            link.lastArrivalNanos = arrival;
        }
        int place = messageTraces.size();
        MessageTrace messageTrace = lost(from, to, message, "under way");
        messageTraces.add(messageTrace);
        time.at(arrival, () -> {
            boolean arrived = receiver.receive(from, to, message);
            messageTraces.set(
                    place,
                    new MessageTrace(
                            from,
                            to,
                            message,
                            messageTrace.sentNanos(),
                            arrived ? OptionalLong.of(time.nanos()) : OptionalLong.empty(),
                            arrived ? "" : "receiver down"));
        });
    }

    void cut(int from, int to) {
        links[from][to].cuts++;
    }

    void heal(int from, int to) {
        links[from][to].cuts--;
    }

    void lose(int from, int to, int percent) {
        links[from][to].lossPercent = percent;
    }

    void slow(int from, int to, long extraNanos) {
        links[from][to].extraNanos = extraNanos;
    }

    List<MessageTrace> messageTraces() {
        return messageTraces;
    }
}
