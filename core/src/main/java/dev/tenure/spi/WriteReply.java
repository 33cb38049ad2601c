// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

/** The certain outcomes of a conditional write. */
public sealed interface WriteReply {
    /** @param now the record as written; absent after a deletion */
    record Applied(Versioned now) implements WriteReply {}

    /** @param current what stands there instead */
    record Refused(Versioned current) implements WriteReply {}
}
