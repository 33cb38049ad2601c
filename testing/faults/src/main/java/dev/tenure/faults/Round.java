// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What one fault did.
 *
 * @param bound what the docs say about the time without a leader
 */
public record Round(int number, String fault, Duration bound, Measured measured, List<String> violations) {
    /**
     * What the ledger shows.
     *
     * @param leaderless from the blow to the first write of a successor; or the longest time without a write, where the
     *     leader may stay
     * @param refused stale writes that were tried, and did not get in
     * @param overlap how long two believed at once, which only a broken lease excuses
     */
    public record Measured(Duration leaderless, int writes, int refused, Duration overlap) {}

    public boolean isClean() {
        return violations.isEmpty();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%4d  %-18s no leader for %6.3f s (docs: %4.1f s)  %5d writes  %3d stale, refused%s%s",
                number,
                fault,
                seconds(measured.leaderless()),
                seconds(bound),
                measured.writes(),
                measured.refused(),
                measured.overlap().isZero()
                        ? ""
                        : String.format(Locale.ROOT, "  belief overlapped %.3f s", seconds(measured.overlap())),
                isClean() ? "" : "  VIOLATION: " + String.join("; ", violations));
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
