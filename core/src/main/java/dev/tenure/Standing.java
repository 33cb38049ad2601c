// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/**
 * Where a candidacy stands.
 *
 * <pre>
 *            granted, fences raised     drain begins               duty ended, released
 * Standby ───────────────────────▶ Leading ───────────────▶ Draining ──────────────────────▶ Standby | Retired
 * </pre>
 */
public sealed interface Standing {
    /** Eligible, not leading. */
    record Standby() implements Standing {}

    /** The duty runs. */
    record Leading(Term term) implements Standing {}

    /** The term is ending: the duty was notified to stop, and the claim is kept until it has. */
    record Draining(Term term, Loss loss) implements Standing {}

    /** Will never lead again. */
    record Retired(Loss loss) implements Standing {}
}
