// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.ElectionName;
import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.KeyRange;
import dev.tenure.etcd.client.KeyValue;
import dev.tenure.etcd.client.Keys;
import dev.tenure.etcd.client.WatchStream;
import dev.tenure.etcd.client.WatchStream.Changes;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.RequestRecord;
import dev.tenure.spi.support.WatchRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * What one client watches in the store: deletions of candidates (one stream for all elections and sessions), requests of
 * operators, and, only while somebody observes, new candidates and terms. Opened when first needed. Loop-confined.
 */
public final class WatchHub {
    private final EtcdClient client;
    private final Host host;
    private final Keys keys;
    private final List<EtcdSession> sessions = new ArrayList<>();
    private final WatchRegistry<Consumer<ElectionName>> observers = new WatchRegistry<>();
    private final WatchStream deletions;
    private final WatchStream requests;
    private final WatchStream creations;
    private volatile boolean closed;

    public WatchHub(EtcdClient client, Host host, Keys keys) {
        this.client = client;
        this.host = host;
        this.keys = keys;
        this.deletions = stream(keys.everything(), Changes.DELETIONS, this::deletionsBeginAt, this::onDeletions);
        this.requests = stream(keys.requests(), Changes.WRITES, now -> {}, this::notifyRequests);
        this.creations = stream(keys.everything(), Changes.WRITES, now -> {}, this::notifyObservers);
        client.onDisconnect(() -> {
            List.copyOf(sessions).forEach(EtcdSession::disconnected);
            all().forEach(WatchStream::restart);
        });
    }

    private WatchStream stream(KeyRange range, Changes changes, LongConsumer began, Consumer<List<KeyValue>> changed) {
        return new WatchStream(client, host, range, changes, began, changed);
    }

    public void join(EtcdSession session) {
        sessions.add(session);
        openOrClose();
    }

    void leave(EtcdSession session) {
        sessions.remove(session);
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
        boolean listened = !sessions.isEmpty();
        boolean observed = observers.anyMatch(any -> true);
        openIf(listened || observed, deletions);
        openIf(listened, requests);
        openIf(observed, creations);
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
        all().forEach(WatchStream::close);
    }

    private List<WatchStream> all() {
        return List.of(deletions, requests, creations);
    }

    /** A poll found what a notification should have said before. */
    void suspect(long revision) {
        if (deletions.progress() < revision) {
            deletions.restart();
        }
    }

    /** One that was left while nobody watched is found with a later heartbeat of its leader. */
    void notifyRequests(List<KeyValue> found) {
        for (KeyValue stored : found) {
            RequestRecord.find(stored.value())
                    .ifPresent(request -> List.copyOf(sessions).forEach(session -> session.requested(request)));
        }
    }

    private void notifyObservers(List<KeyValue> changes) {
        changes.stream()
                .flatMap(change -> keys.electionOfEntry(change.key()).stream())
                .distinct()
                .forEach(election -> observers.publish(observer -> observer.accept(election)));
    }

    private void deletionsBeginAt(long revision) {
        List.copyOf(sessions).forEach(session -> session.missedUpTo(revision));
    }

    private void onDeletions(List<KeyValue> changes) {
        Map<String, Long> gone = new LinkedHashMap<>();
        changes.forEach(change -> gone.put(change.key(), change.modRevision()));
        List.copyOf(sessions).forEach(session -> session.deleted(gone));
        if (creations.isWanted()) {
            notifyObservers(changes);
        }
    }
}
