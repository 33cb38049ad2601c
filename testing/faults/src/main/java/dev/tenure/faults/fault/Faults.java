// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.fault;

import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Grants;
import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.Standby;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.support.NetworkConditions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The faults there are. */
public final class Faults {
    private Faults() {}

    /** All that can happen to this store and to those who use it. */
    public static List<InjectedFault> of(StoreUnderTest store) {
        List<InjectedFault> all = new ArrayList<>(List.of(new KillCandidate(), new StopCandidate()));
        if (!store.ports().isEmpty()) {
            all.addAll(ofLinks());
        }
        store.servers().ifPresent(servers -> all.addAll(ofServers(servers)));
        store.primary().ifPresent(primary -> all.addAll(ofPrimary(primary, store.grants())));
        store.standby().ifPresent(standby -> all.addAll(ofStandby(standby)));
        store.clock().ifPresent(clock -> all.addAll(List.of(new ClockBack(clock), new ClockForward(clock))));
        store.records().ifPresent(records -> all.addAll(ofRecords(records)));
        return all;
    }

    /** Each kind once, for where time is short. */
    public static List<InjectedFault> once(StoreUnderTest store) {
        return of(store).stream().filter(Faults::isNotLikeAnother).toList();
    }

    /** Of the servers that can be stopped the one that leads is the worst; and what was not heard is the same for all. */
    private static boolean isNotLikeAnother(InjectedFault fault) {
        if (fault instanceof StopServer stop) {
            return stop.serverSelector() instanceof ServerSelector.Leading;
        }
        return !List.of("kill-both-leaders", "delete-unheard", "wipe-unheard").contains(fault.name());
    }

    private static List<InjectedFault> ofLinks() {
        return List.of(
                new CutOff("cut", FaultScope.CANDIDATE, ttl -> NetworkConditions.CUT),
                new CutOff("cut-to-servers", FaultScope.CANDIDATE, ttl -> NetworkConditions.NO_REQUESTS),
                new CutOff("cut-from-servers", FaultScope.ANSWERS, ttl -> NetworkConditions.NO_ANSWERS),
                new CutOff("delay-answers", FaultScope.ANSWERS, NetworkConditions::slow));
    }

    private static List<InjectedFault> ofServers(Servers servers) {
        List<InjectedFault> all = new ArrayList<>();
        for (int server = 0; server < servers.ports().size(); server++) {
            all.add(new KillServer(servers, new ServerSelector.Numbered(server)));
            all.add(new StopServer(servers, new ServerSelector.Numbered(server)));
        }
        all.add(new KillServer(servers, new ServerSelector.Leading()));
        all.add(new StopServer(servers, new ServerSelector.Leading()));
        all.add(new KillBoth(servers));
        all.add(new RestartAll(servers));
        return all;
    }

    private static List<InjectedFault> ofPrimary(Primary primary, Grants grants) {
        return List.of(
                new CrashPrimary(primary, grants), new FreezePrimary(primary), new EndConnections(primary, grants));
    }

    private static List<InjectedFault> ofStandby(Standby standby) {
        InjectedFault lagging = new PromoteLagging("promote-lagging", standby, Duration.ZERO);
        return standby.hasItsOwnClock()
                ? List.of(lagging, new PromoteLagging("promote-hour-behind", standby, Duration.ofHours(-1)))
                : List.of(lagging);
    }

    /** A candidate that learns that its lease was broken stops at once; one that cannot learn it has only its deadline, and the fence. */
    private static List<InjectedFault> ofRecords(Records records) {
        return List.of(
                new BreakLease("revoke-session", records, Records::revokeSession, NetworkConditions.NORMAL),
                new BreakLease("delete-claim", records, Records::deleteClaim, NetworkConditions.NORMAL),
                new BreakLease("wipe-namespace", records, Records::wipe, NetworkConditions.NORMAL),
                new BreakLease("revoke-unheard", records, Records::revokeSession, NetworkConditions.NO_ANSWERS),
                new BreakLease("delete-unheard", records, Records::deleteClaim, NetworkConditions.NO_ANSWERS),
                new BreakLease("wipe-unheard", records, Records::wipe, NetworkConditions.NO_ANSWERS));
    }
}
