package dev.tenure.etcd.client;

import dev.tenure.ElectionName;
import dev.tenure.etcd.client.proto.WatchCreateRequest.FilterType;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import dev.tenure.spi.support.WatchRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * What one client hears from the store: deletions of candidates (one stream for all elections and sessions), requests of
 * operators, and, only while somebody observes, new candidates and terms. Opened when first needed. Loop-confined.
 */
public final class WatchHub {
    /** A session, as it wants to be told. */
    public interface Listener {
        /** Deletions up to this revision may have been missed. */
        void missedUpTo(long revision);

        /** @param revisions of the deletions, by key */
        void deleted(Map<String, Long> revisions);

        void requested(OperatorRequest request);
    }

    private final EtcdClient client;
    private final Host host;
    private final Keys keys;
    private final List<Listener> listeners = new ArrayList<>();
    private final WatchRegistry<Consumer<ElectionName>> observers = new WatchRegistry<>();
    private final WatchStream departures;
    private final WatchStream requests;
    private final WatchStream arrivals;
    private final WatchStream terms;
    private volatile boolean closed;

    public WatchHub(EtcdClient client, Host host, Keys keys) {
        this.client = client;
        this.host = host;
        this.keys = keys;
        this.departures = stream(keys.everything(), FilterType.NOPUT, this::departuresBeginAt, this::departed);
        this.requests = stream(keys.requests(), FilterType.NODELETE, now -> lookForRequests(), this::tellRequests);
        this.arrivals = stream(keys.everything(), FilterType.NODELETE, now -> {}, this::tellObservers);
        this.terms = stream(keys.terms(), FilterType.NODELETE, now -> {}, this::tellObservers);
    }

    private WatchStream stream(
            KeyRange range, FilterType without, LongConsumer began, Consumer<List<KeyValue>> changed) {
        return new WatchStream(client, host, range, without, began, changed);
    }

    public void join(Listener listener) {
        listeners.add(listener);
        if (requests.isWanted()) {
            lookForRequests();
        }
        openOrClose();
    }

    public void leave(Listener listener) {
        listeners.remove(listener);
        openOrClose();
    }

    /** The caller may be on any thread. */
    public Watch watch(Consumer<ElectionName> changed) {
        Watch observer = observers.add(changed);
        host.post(this::openOrClose);
        return () -> {
            observer.close();
            host.post(this::openOrClose);
        };
    }

    private void openOrClose() {
        boolean listened = !listeners.isEmpty();
        boolean observed = observers.anyMatch(any -> true);
        openIf(listened || observed, departures);
        openIf(listened, requests);
        openIf(observed, arrivals);
        openIf(observed && !keys.hasFolder(), terms);
    }

    private void openIf(boolean needed, WatchStream stream) {
        if (needed && !closed) {
            stream.open();
        } else {
            stream.close();
        }
    }

    /** The caller may be on any thread, and the loop may have ended. */
    public void close() {
        closed = true;
        List.of(departures, requests, arrivals, terms).forEach(WatchStream::close);
    }

    /** A poll found what should have been told before. */
    public void suspect(long revision) {
        if (departures.progress() < revision) {
            departures.restart();
        }
    }

    /** What may have been missed is looked up once: those that come later are told. */
    private void lookForRequests() {
        Stages.follow(
                client.range(keys.requests(), false),
                reply -> tellRequests(reply.found()),
                failure -> {}); // found with the next heartbeat of a leader
    }

    public void tellRequests(List<KeyValue> found) {
        for (KeyValue stored : found) {
            RequestRecord.find(stored.value())
                    .ifPresent(request -> List.copyOf(listeners).forEach(listener -> listener.requested(request)));
        }
    }

    private void tellObservers(List<KeyValue> changes) {
        Set<ElectionName> elections = new LinkedHashSet<>();
        for (KeyValue change : changes) {
            String key = change.key();
            keys.electionOfTerm(key).or(() -> keys.electionOfEntry(key)).ifPresent(elections::add);
        }
        elections.forEach(election -> observers.tell(observer -> observer.accept(election)));
    }

    private void departuresBeginAt(long revision) {
        List.copyOf(listeners).forEach(listener -> listener.missedUpTo(revision));
    }

    private void departed(List<KeyValue> changes) {
        Map<String, Long> gone = new LinkedHashMap<>();
        changes.forEach(change -> gone.put(change.key(), change.modRevision()));
        List.copyOf(listeners).forEach(listener -> listener.deleted(gone));
        if (arrivals.isWanted()) {
            tellObservers(changes);
        }
    }
}
