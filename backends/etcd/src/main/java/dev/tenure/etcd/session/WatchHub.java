package dev.tenure.etcd.session;

import dev.tenure.ElectionName;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.WatchStream;
import dev.tenure.spi.Host;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.Stages;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

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
    private final List<Observer> observers = new ArrayList<>();
    private final Deletions deletions = new Deletions();
    private Optional<WatchStream> departures = Optional.empty();
    private Optional<WatchStream> requests = Optional.empty();
    private Optional<WatchStream> arrivals = Optional.empty();
    private Optional<WatchStream> terms = Optional.empty();
    private volatile boolean closed;

    private static final class Observer {
        final Consumer<ElectionName> changed;
        volatile boolean over;

        Observer(Consumer<ElectionName> changed) {
            this.changed = changed;
        }
    }

    public WatchHub(EtcdClient client, Host host, Keys keys) {
        this.client = client;
        this.host = host;
        this.keys = keys;
    }

    public void join(Listener listener) {
        listeners.add(listener);
        openDepartures();
        if (requests.isEmpty()) {
            requests = open(keys.requests(), WatchStream.Only.PUTS, new Requests());
        } else {
            lookForRequests();
        }
    }

    public void leave(Listener listener) {
        listeners.remove(listener);
        closeUnneeded();
    }

    /** The caller may be on any thread. */
    public Watch watch(Consumer<ElectionName> changed) {
        Observer observer = new Observer(changed);
        host.post(() -> {
            if (observer.over || closed) {
                return;
            }
            observers.add(observer);
            openDepartures();
            if (arrivals.isEmpty()) {
                arrivals = open(keys.everything(), WatchStream.Only.PUTS, new Arrivals());
            }
            if (terms.isEmpty() && !keys.hasFolder()) {
                terms = open(keys.terms(), WatchStream.Only.PUTS, new Arrivals());
            }
        });
        return () -> {
            observer.over = true;
            host.post(() -> {
                observers.remove(observer);
                closeUnneeded();
            });
        };
    }

    private void openDepartures() {
        if (departures.isEmpty()) {
            deletions.beginAt(0); // the stream tells where it begins, and what to look at again
            departures = open(keys.everything(), WatchStream.Only.DELETIONS, new Departures());
        }
    }

    private Optional<WatchStream> open(KeyRange range, WatchStream.Only only, WatchStream.Listener listener) {
        return closed ? Optional.empty() : Optional.of(new WatchStream(client, host, range, only, listener).start());
    }

    private void closeUnneeded() {
        if (listeners.isEmpty()) {
            requests.ifPresent(WatchStream::close);
            requests = Optional.empty();
        }
        if (observers.isEmpty()) {
            arrivals.ifPresent(WatchStream::close);
            arrivals = Optional.empty();
            terms.ifPresent(WatchStream::close);
            terms = Optional.empty();
        }
        if (listeners.isEmpty() && observers.isEmpty()) {
            departures.ifPresent(WatchStream::close);
            departures = Optional.empty();
        }
    }

    /** The caller may be on any thread, and the loop may have ended. */
    public void close() {
        closed = true;
        for (Optional<WatchStream> stream : List.of(departures, requests, arrivals, terms)) {
            stream.ifPresent(WatchStream::close);
        }
    }

    /** May this key, which was there at this revision, have gone without a further word to come? */
    public boolean mayHaveGone(String key, long sinceRevision) {
        return deletions.mayHold(key, sinceRevision);
    }

    /** A poll found what should have been told before. */
    public void suspect(long revision) {
        departures.filter(stream -> stream.progress() < revision).ifPresent(WatchStream::restart);
    }

    private void tell(ElectionName election) {
        for (Observer observer : List.copyOf(observers)) {
            if (!observer.over) {
                observer.changed.accept(election);
            }
        }
    }

    /** What may have been missed is looked up once: those that come later are told. */
    private void lookForRequests() {
        Stages.follow(
                client.range(keys.requests()),
                reply -> tellRequests(reply.found()),
                failure -> {}); // found with the next heartbeat of a leader
    }

    public void tellRequests(List<KeyValue> found) {
        for (KeyValue stored : found) {
            RequestRecord.find(stored.value())
                    .ifPresent(request -> List.copyOf(listeners).forEach(listener -> listener.requested(request)));
        }
    }

    private final class Departures implements WatchStream.Listener {
        @Override
        public void began(long revision) {
            deletions.beginAt(revision);
            List.copyOf(listeners).forEach(listener -> listener.missedUpTo(revision));
        }

        @Override
        public void changed(List<KeyValue> changes) {
            Map<String, Long> gone = new LinkedHashMap<>();
            Set<ElectionName> elections = new LinkedHashSet<>();
            for (KeyValue change : changes) {
                String key = change.key();
                deletions.add(key, change.modRevision());
                gone.put(key, change.modRevision());
                if (!observers.isEmpty()) {
                    keys.electionOfEntry(key).ifPresent(elections::add);
                }
            }
            List.copyOf(listeners).forEach(listener -> listener.deleted(gone));
            elections.forEach(WatchHub.this::tell);
        }
    }

    private final class Requests implements WatchStream.Listener {
        @Override
        public void began(long revision) {
            lookForRequests();
        }

        @Override
        public void changed(List<KeyValue> changes) {
            tellRequests(changes);
        }
    }

    private final class Arrivals implements WatchStream.Listener {
        @Override
        public void began(long revision) {}

        @Override
        public void changed(List<KeyValue> changes) {
            Set<ElectionName> elections = new LinkedHashSet<>();
            for (KeyValue change : changes) {
                String key = change.key();
                keys.electionOfTerm(key).or(() -> keys.electionOfEntry(key)).ifPresent(elections::add);
            }
            elections.forEach(WatchHub.this::tell);
        }
    }

    /**
     * The last deletions that were told. The answer that names whom to wait for, and the word that this one has gone, travel on
     * different connections: the word may arrive first. Bounded; what was forgotten counts as "perhaps".
     */
    private static final class Deletions {
        private static final int REMEMBERED_MAX = 4096;

        private final Map<String, Long> revisions = new LinkedHashMap<>();
        private long forgottenUpTo;

        /** Nothing is known up to this revision. */
        void beginAt(long revision) {
            revisions.clear();
            forgottenUpTo = revision;
        }

        void add(String key, long revision) {
            revisions.remove(key);
            revisions.put(key, revision);
            if (revisions.size() > REMEMBERED_MAX) {
                String oldest = revisions.keySet().iterator().next();
                forgottenUpTo = Math.max(forgottenUpTo, revisions.getOrDefault(oldest, 0L));
                revisions.remove(oldest);
            }
        }

        /** May a key that was there at this revision be gone without a further word? */
        boolean mayHold(String key, long sinceRevision) {
            return forgottenUpTo > sinceRevision || revisions.getOrDefault(key, 0L) > sinceRevision;
        }
    }
}
