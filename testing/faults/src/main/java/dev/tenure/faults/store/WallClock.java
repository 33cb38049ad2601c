// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

import java.time.Duration;

/** The wall clock by which a store judges. */
public interface WallClock {
    /** How far it is before the right time, from now on; negative if it is behind. */
    void move(Duration ahead) throws Exception;
}
