// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.local.MachineClock.ClockReading;
import java.util.Optional;

/** A machine clock that a test sets. */
final class ManualClock implements MachineClock {
    static final String BOOT = "11111111-aaaa-bbbb-cccc-000000000001";
    static final String NEXT_BOOT = "22222222-aaaa-bbbb-cccc-000000000002";

    volatile String bootId = BOOT;
    volatile String timeNamespace = "4026531834";
    volatile long uptimeMillis = 1_000_000;

    @Override
    public Optional<ClockReading> now() {
        return Optional.of(new ClockReading(bootId, timeNamespace, uptimeMillis));
    }

    @Override
    public Optional<String> bootId() {
        return Optional.of(bootId);
    }
}
