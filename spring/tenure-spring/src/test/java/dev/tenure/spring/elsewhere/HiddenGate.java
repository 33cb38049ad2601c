// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.elsewhere;

import dev.tenure.spring.LeaderOnly;

/** For beans in another package, whose proxies cannot override the method. */
public class HiddenGate {
    @LeaderOnly("e")
    void run() {}
}
