// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store;

import dev.tenure.simulator.trace.FaultKind;
import dev.tenure.simulator.trace.TraceKind;
import dev.tenure.simulator.trace.WorldTrace;
import dev.tenure.testing.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** How one process reaches the store: every request and every notification passes here, and may suffer. */
public final class SimulatedLink {
    private static final long BURST_NANOS = 1_000;

    private final int process;
    private final VirtualTime time;
    private final MessageFaults faults;
    private final StoreHealth health;
    private final WorldTrace trace;
    private final List<Call<?>> underWay = new ArrayList<>();
    private final List<VirtualTime.Event> heldBack = new ArrayList<>();
    private boolean cutTo;
    private boolean cutFrom;
    private boolean clogged;
    private long repliesLateNanos;
    private boolean dead;
    private long requests;

    public SimulatedLink(int process, VirtualTime time, MessageFaults faults, StoreHealth health, WorldTrace trace) {
        this.process = process;
        this.time = time;
        this.faults = faults;
        this.health = health;
        this.trace = trace;
    }

    public int process() {
        return process;
    }

    public VirtualTime time() {
        return time;
    }

    MessageFaults faults() {
        return faults;
    }

    StoreHealth health() {
        return health;
    }

    public int underWay() {
        return underWay.size();
    }

    /** How many requests this process has made. */
    public long requests() {
        return requests;
    }

    // ---- faults

    public void cut(boolean to, boolean from) {
        cutTo |= to;
        cutFrom |= from;
    }

    public void clog() {
        clogged = true;
    }

    /** What the store answers from now on arrives so much later. */
    public void delayReplies(long nanos) {
        repliesLateNanos = nanos;
    }

    long repliesLateNanos() {
        return repliesLateNanos;
    }

    public void heal() {
        repliesLateNanos = 0;
        cutTo = false;
        cutFrom = false;
        unclog();
    }

    private void unclog() {
        clogged = false;
        long at = time.nanos();
        for (VirtualTime.Event event : heldBack) {
            at += BURST_NANOS;
            time.schedule(at, event);
        }
        heldBack.clear();
    }

    /** The process is gone: it sends nothing and hears nothing any more. What is on its way to the store still arrives. */
    public void die() {
        dead = true;
    }

    boolean isDead() {
        return dead;
    }

    /** The connection is gone: every caller is told at once, while what is on its way to the store still arrives. */
    public void reset() {
        for (Call<?> call : List.copyOf(underWay)) {
            call.failNow(Injected.UNREACHABLE);
        }
    }

    boolean isCutFrom() {
        return cutFrom;
    }

    /** True if the message does not arrive now but when the network is free again. */
    boolean holdsBack(VirtualTime.Event event) {
        if (clogged) {
            heldBack.add(event);
        }
        return clogged;
    }

    // ---- requests

    public <T> CompletableFuture<T> send(Call<T> call) {
        requests++;
        FaultKind fault = faults.messageFault();
        trace.add(
                TraceKind.SEND,
                process,
                WorldTrace.NONE,
                0,
                call.code(),
                trace.isReadable() ? noteOf(call, fault) : "");
        call.slot = underWay.size();
        underWay.add(call);
        long thereNanos = faults.latencyNanos();
        long backNanos = faults.latencyNanos();
        if (cutTo) {
            forget(call);
        } else if (fault == null) {
            call.go(thereNanos, backNanos);
        } else {
            suffer(call, fault, thereNanos, backNanos);
        }
        return call.answer();
    }

    private static String noteOf(Call<?> call, @Nullable FaultKind fault) {
        return fault == null ? call.toString() : call + "  !" + fault;
    }

    private void suffer(Call<?> call, FaultKind fault, long thereNanos, long backNanos) {
        switch (fault) {
            case REQUEST_DROPPED -> forget(call);
            case REQUEST_DELAYED -> call.go(thereNanos + faults.delayNanos(3), backNanos);
            case REQUEST_DUPLICATED -> {
                call.go(thereNanos, backNanos);
                time.at(time.nanos() + thereNanos + faults.delayNanos(2), call::applyAgain);
            }
            case REQUEST_ZOMBIE -> {
                call.go(thereNanos + faults.delayNanos(2), backNanos);
                time.at(time.nanos() + thereNanos, () -> call.failNow(Injected.UNREACHABLE));
            }
            case REPLY_DROPPED -> {
                call.withoutAnswer();
                call.go(thereNanos, backNanos);
            }
            case REPLY_DELAYED -> call.go(thereNanos, backNanos + faults.delayNanos(3));
            case APPLIED_BUT_ERROR -> {
                call.answeredWith(Injected.UNREACHABLE);
                call.go(thereNanos, backNanos);
            }
            case REFUSED_WITH_ERROR -> {
                call.withoutEffect();
                call.answeredWith(Injected.REFUSED);
                call.go(thereNanos, backNanos);
            }
            case UNKNOWN_EXCEPTION -> {
                halfApplied(call, Injected.EXCEPTION);
                call.go(thereNanos, backNanos);
            }
            case UNKNOWN_ERROR -> {
                halfApplied(call, Injected.ERROR);
                call.go(thereNanos, backNanos);
            }
            case THROWN_AT_CALL -> {
                forget(call);
                if (faults.coin()) {
                    throw Injected.ERROR;
                }
                throw Injected.EXCEPTION;
            }
            default -> throw new IllegalStateException(fault + " does not befall messages");
        }
    }

    private void halfApplied(Call<?> call, Throwable reported) {
        if (faults.coin()) {
            call.withoutEffect();
        }
        call.answeredWith(reported);
    }

    void applying(Call<?> call) {
        trace.add(TraceKind.APPLY, process, WorldTrace.NONE, 0, call.code(), call);
    }

    void answering(Call<?> call) {
        trace.add(TraceKind.REPLY, process, WorldTrace.NONE, 0, call.code(), call);
    }

    void forget(Call<?> call) {
        if (call.slot >= 0) {
            Call<?> last = underWay.remove(underWay.size() - 1);
            if (last != call) {
                underWay.set(call.slot, last);
                last.slot = call.slot;
            }
            call.slot = -1;
        }
    }

    // ---- notifications

    /** @param notice runs at the process when the notification arrives there */
    public void push(long code, Runnable notice) {
        if (dead || cutFrom || health.isSilent()) {
            return;
        }
        @Nullable FaultKind fault = faults.noticeFault();
        long delayNanos = faults.latencyNanos();
        if (fault == FaultKind.NOTICE_LOST) {
            return;
        }
        if (fault == FaultKind.NOTICE_DELAYED) {
            delayNanos += faults.delayNanos(2);
        }
        time.schedule(time.nanos() + delayNanos, new Notice(code, notice));
        if (fault == FaultKind.NOTICE_DUPLICATED) {
            time.schedule(time.nanos() + delayNanos + faults.delayNanos(1), new Notice(code, notice));
        }
    }

    private final class Notice extends VirtualTime.Event {
        private final long code;
        private final Runnable notice;

        Notice(long code, Runnable notice) {
            this.code = code;
            this.notice = notice;
        }

        @Override
        protected void happen() {
            if (!dead && !holdsBack(this)) {
                trace.add(TraceKind.PUSH, process, WorldTrace.NONE, 0, code);
                notice.run();
            }
        }
    }
}
