// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.detector;

import dev.tenure.algorithms.Message;

/** I am alive. */
public record Heartbeat() implements Message {
    @Override
    public boolean isBackground() {
        return true;
    }
}
