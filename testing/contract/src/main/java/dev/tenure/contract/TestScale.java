// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.spi.BackendTraits;
import java.time.Duration;
import java.util.UUID;

/** The TTL and the names that one test uses. */
final class TestScale {
    private TestScale() {}

    /** The TTL nearest to the wanted one that the store offers. */
    static Duration ttl(Duration wanted, BackendTraits traits) {
        Duration inRange = wanted.compareTo(traits.ttlMin()) < 0 ? traits.ttlMin() : wanted;
        inRange = inRange.compareTo(traits.ttlMax()) > 0 ? traits.ttlMax() : inRange;
        return roundedUp(inRange, traits);
    }

    /** What the store makes of a TTL: the next multiple of its step. */
    static Duration roundedUp(Duration ttl, BackendTraits traits) {
        long step = Math.max(1, traits.ttlStep().toNanos());
        return Duration.ofNanos((ttl.toNanos() + step - 1) / step * step);
    }

    /** A share of a duration. */
    static Duration of(Duration whole, double share) {
        return Duration.ofNanos((long) (whole.toNanos() * share));
    }

    /** Lower-case letters, digits and dashes: usable in a path, a key and a table's name alike. */
    static String freshNamespace() {
        return "contract-" + UUID.randomUUID().toString().substring(0, 13);
    }
}
