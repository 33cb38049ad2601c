// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.elsewhere;

import dev.tenure.spring.LeaderDuty;

/** For beans in another package, whose proxies cannot override the method. */
public class HiddenDuty {
    @LeaderDuty(election = "e")
    void work() {}
}
