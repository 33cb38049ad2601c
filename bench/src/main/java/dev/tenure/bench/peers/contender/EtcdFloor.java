// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The least that a handover can cost: one deletes its key, the next, already queued, sees that by its watch. */
final class EtcdFloor implements Contender {
    private final JetcdLease lease;

    EtcdFloor(String addresses, Duration ttl) throws Exception {
        lease = new JetcdLease(addresses, ttl);
    }

    @Override
    public Stand stand(String election, Leading leading) {
        ByteSequence prefix = JetcdLease.bytes("floor/" + election + "/");
        ByteSequence own = JetcdLease.bytes("floor/" + election + "/" + Long.toHexString(lease.id()));
        PutOption onLease = PutOption.builder().withLeaseId(lease.id()).build();
        lease.client().getKVClient().put(own, ByteSequence.EMPTY, onLease).join();
        GetOption inOrder = GetOption.builder()
                .isPrefix(true)
                .withSortField(GetOption.SortTarget.CREATE)
                .withSortOrder(GetOption.SortOrder.ASCEND)
                .build();
        GetResponse queue = lease.client().getKVClient().get(prefix, inOrder).join();
        KeyValue first = queue.getKvs().get(0);
        if (first.getKey().equals(own)) {
            LeadingCallback.begin(leading);
        } else {
            watch(first.getKey(), queue.getHeader().getRevision() + 1, leading);
        }
        return new Stood(lease, own);
    }

    private void watch(ByteSequence predecessor, long revision, Leading leading) {
        WatchOption deletions =
                WatchOption.builder().withRevision(revision).withNoPut(true).build();
        CompletableFuture<Watch.Watcher> watcher = new CompletableFuture<>();
        AtomicBoolean begun = new AtomicBoolean();
        watcher.complete(lease.client().getWatchClient().watch(predecessor, deletions, response -> {
            boolean gone = response.getEvents().stream()
                    .anyMatch(event -> event.getEventType() == WatchEvent.EventType.DELETE);
            if (gone && begun.compareAndSet(false, true)) {
                LeadingCallback.begin(leading);
                CompletionStage<Watch.Watcher> opened = watcher;
                opened.thenAccept(Watch.Watcher::close); // the same key comes and goes again
            }
        }));
    }

    @Override
    public long heartbeats() {
        return lease.renewals();
    }

    @Override
    public void close() {
        lease.close();
    }

    private record Stood(JetcdLease lease, ByteSequence own) implements Stand {
        @Override
        public boolean believes() {
            return lease.isKept();
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() {
            lease.client().getKVClient().delete(own).join();
        }
    }
}
