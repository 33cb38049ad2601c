// SPDX-License-Identifier: Apache-2.0
package dev.tenure.lab.trace;

import dev.tenure.algorithms.Message;
import java.util.OptionalLong;

/**
 * A message on its way.
 *
 * @param arrivedNanos empty if it was lost
 * @param fate why it was lost, or nothing
 */
public record MessageTrace(int from, int to, Message message, long sentNanos, OptionalLong arrivedNanos, String fate) {}
