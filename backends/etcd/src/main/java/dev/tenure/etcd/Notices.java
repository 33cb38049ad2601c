package dev.tenure.etcd;

import dev.tenure.ElectionName;
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
final class Notices {
    /** A session, as it wants to be told. */
    interface Listener {
        /** Deletions up to this revision may have been missed. */
        void deafUntil(long revision);

        /** @param revisions of the deletions, by key */
        void deleted(Map<String, Long> revisions);

        void requested(OperatorRequest request);
    }

    private final Gateway gateway;
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

    Notices(Gateway gateway, Host host, Keys keys) {
        this.gateway = gateway;
        this.host = host;
        this.keys = keys;
    }

    void join(Listener listener) {
        listeners.add(listener);
        openDepartures();
        if (requests.isEmpty()) {
            requests = open(keys.requests(), WatchStream.Only.PUTS, new Requests());
        } else {
            lookForRequests();
        }
    }

    void leave(Listener listener) {
        listeners.remove(listener);
        closeUnneeded();
    }

    /** The caller may be on any thread. */
    Watch watch(Consumer<ElectionName> changed) {
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
        return closed ? Optional.empty() : Optional.of(new WatchStream(gateway, host, range, only, listener).start());
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
    void close() {
        closed = true;
        for (Optional<WatchStream> stream : List.of(departures, requests, arrivals, terms)) {
            stream.ifPresent(WatchStream::close);
        }
    }

    /** May this key, which was there at this revision, have gone without a further word to come? */
    boolean mayHaveGone(String key, long sinceRevision) {
        return deletions.mayHold(key, sinceRevision);
    }

    /** A poll found what should have been told before. */
    void suspect(long revision) {
        departures.filter(stream -> stream.toldUpTo() < revision).ifPresent(WatchStream::restart);
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
                gateway.call(Method.RANGE, keys.requests().request().done()),
                reply -> tellRequests(KeyValue.inRange(reply)),
                failure -> {}); // found with the next heartbeat of a leader
    }

    void tellRequests(List<KeyValue> found) {
        for (KeyValue stored : found) {
            RequestRecord.find(stored.value())
                    .ifPresent(request -> List.copyOf(listeners).forEach(listener -> listener.requested(request)));
        }
    }

    private final class Departures implements WatchStream.Listener {
        @Override
        public void began(long revision) {
            deletions.beginAt(revision);
            List.copyOf(listeners).forEach(listener -> listener.deafUntil(revision));
        }

        @Override
        public void changed(List<WatchStream.Change> changes) {
            Map<String, Long> gone = new LinkedHashMap<>();
            Set<ElectionName> elections = new LinkedHashSet<>();
            for (WatchStream.Change change : changes) {
                String key = change.stored().key();
                deletions.add(key, change.stored().modRevision());
                gone.put(key, change.stored().modRevision());
                if (!observers.isEmpty()) {
                    keys.electionOfEntry(key).ifPresent(elections::add);
                }
            }
            List.copyOf(listeners).forEach(listener -> listener.deleted(gone));
            elections.forEach(Notices.this::tell);
        }
    }

    private final class Requests implements WatchStream.Listener {
        @Override
        public void began(long revision) {
            lookForRequests();
        }

        @Override
        public void changed(List<WatchStream.Change> changes) {
            tellRequests(changes.stream().map(WatchStream.Change::stored).toList());
        }
    }

    private final class Arrivals implements WatchStream.Listener {
        @Override
        public void began(long revision) {}

        @Override
        public void changed(List<WatchStream.Change> changes) {
            Set<ElectionName> elections = new LinkedHashSet<>();
            for (WatchStream.Change change : changes) {
                String key = change.stored().key();
                keys.electionOfTerm(key).or(() -> keys.electionOfEntry(key)).ifPresent(elections::add);
            }
            elections.forEach(Notices.this::tell);
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
