// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.trace;

import dev.tenure.testing.SplitMix64;
import dev.tenure.testing.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a world: one line per event, in fixed columns, and one hash over all of them. The hash is made of
 * numbers only and costs a few nanoseconds; the text is made only if somebody wants to read it.
 */
public final class WorldTrace {
    /** Stands in a column that does not apply. */
    public static final int NONE = -1;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final VirtualTime time;
    private final @Nullable Appendable out;
    private long hash;
    private long lines;

    private WorldTrace(VirtualTime time, @Nullable Appendable out) {
        this.time = time;
        this.out = out;
    }

    /** Only the hash. */
    public static WorldTrace hashing(VirtualTime time) {
        return new WorldTrace(time, null);
    }

    /** The hash and the text. */
    public static WorldTrace writing(VirtualTime time, Appendable out) {
        return new WorldTrace(time, out);
    }

    public long hash() {
        return SplitMix64.mix(hash);
    }

    public long lines() {
        return lines;
    }

    public boolean isReadable() {
        return out != null;
    }

    public void add(TraceKind kind, int process, int election, long token, long detail) {
        add(kind, process, election, token, detail, "");
    }

    /** @param note shown to readers; not part of the hash, so it costs nothing when nobody reads */
    public void add(TraceKind kind, int process, int election, long token, long detail, Object note) {
        lines++;
        long columns = ((long) kind.ordinal() << 48) ^ ((long) (process & 0xffff) << 32) ^ (election & 0xffffffffL);
        hash = (hash ^ time.nanos()) * 0x9e3779b97f4a7c15L;
        hash = (hash ^ (hash >>> 29) ^ columns) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 32) ^ token) * 0x94d049bb133111ebL;
        hash = (hash ^ (hash >>> 29)) + detail;
        Appendable text = out;
        if (text != null) {
            write(text, kind, process, election, token, note);
        }
    }

    private void write(Appendable text, TraceKind kind, int process, int election, long token, Object note) {
        long nanos = time.nanos();
        try {
            text.append(String.format(
                    Locale.ROOT,
                    "%5d.%06d  %-4s %-10s %-3s %-16s %s%n",
                    nanos / NANOS_PER_SECOND,
                    nanos % NANOS_PER_SECOND / 1000,
                    process == NONE ? "-" : "p" + process,
                    kind,
                    election == NONE ? "-" : "e" + election,
                    token == 0 ? "-" : Long.toString(token),
                    note));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
