// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spi;

import java.time.Duration;

/** @param node how operators call this process; shown, never used for safety */
public record SessionRequest(String node, Duration ttl) {}
