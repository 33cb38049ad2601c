package dev.tenure.faults.fault;

import dev.tenure.faults.network.Weather;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.StoreUnderTest;
import java.util.ArrayList;
import java.util.List;

/** The faults there are. */
public final class Faults {
    private Faults() {}

    /** All that can happen to this store and to those who use it. */
    public static List<Fault> of(StoreUnderTest store) {
        List<Fault> all = new ArrayList<>(List.of(new KillCandidate(), new StopCandidate()));
        store.servers().ifPresent(servers -> {
            all.addAll(ofLinks());
            all.addAll(ofServers(servers));
        });
        store.records().ifPresent(records -> all.addAll(ofRecords(records)));
        return all;
    }

    /** Each kind once, for where time is short: of the servers that can be stopped, only the one that leads. */
    public static List<Fault> once(StoreUnderTest store) {
        return of(store).stream()
                .filter(fault -> !(fault instanceof StopServer stop && stop.which() instanceof Which.Numbered))
                .toList();
    }

    private static List<Fault> ofLinks() {
        return List.of(
                new CutOff("cut", ttl -> Weather.CUT),
                new CutOff("cut-to-servers", ttl -> Weather.MUTE),
                new CutOff("cut-from-servers", ttl -> Weather.DEAF),
                new CutOff("delay-answers", Weather::slow));
    }

    private static List<Fault> ofServers(Servers servers) {
        List<Fault> all = new ArrayList<>();
        for (int server = 0; server < servers.ports().size(); server++) {
            all.add(new KillServer(servers, new Which.Numbered(server)));
            all.add(new StopServer(servers, new Which.Numbered(server)));
        }
        all.add(new KillServer(servers, new Which.Leading()));
        all.add(new StopServer(servers, new Which.Leading()));
        all.add(new RestartAll(servers));
        return all;
    }

    private static List<Fault> ofRecords(Records records) {
        return List.of(
                new BreakLease("revoke-session", records, Records::revokeSession),
                new BreakLease("delete-claim", records, Records::deleteClaim),
                new BreakLease("wipe-namespace", records, Records::wipe));
    }
}
