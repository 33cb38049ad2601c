// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What it costs to wait. */
@Tag("server")
class IdleStandbyTest extends BehindProxy {
    private static final int ELECTIONS = 60;
    private static final int PING = 11;
    private static final int MULTI = 14;

    @Test
    void a_standby_in_many_elections_sends_its_heartbeats_and_nothing_else() throws Exception {
        Node leader = node(proxy(1), SHORT);
        Node standby = node(SHORT);
        for (int i = 0; i < ELECTIONS; i++) {
            leading(leader.stand("e" + i));
            standby.stand("e" + i);
        }
        for (int i = 0; i < ELECTIONS; i++) {
            String election = path("e" + i);
            Await.until("both stand", () -> operator.latches(election).size() == 2);
        }
        standby.live();
        int begun = proxy.kinds().size();
        long renewed = standby.tenure.stats().renewals();
        long polled = standby.gate.calls("claim");

        standby.live();

        List<Integer> sent = proxy.kinds();
        long renewals = standby.tenure.stats().renewals() - renewed;
        assertThat(standby.gate.calls("claim") - polled).isGreaterThanOrEqualTo(ELECTIONS);
        // The client pings by itself when it has sent nothing for a third of the session timeout.
        assertThat(sent.subList(begun, sent.size()))
                .isSubsetOf(MULTI, PING)
                .filteredOn(kind -> kind == MULTI)
                .hasSizeLessThan((int) renewals + 4);
    }
}
