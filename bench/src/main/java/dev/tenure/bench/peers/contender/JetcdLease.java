// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** A client of jetcd with one lease that it keeps alive. */
final class JetcdLease implements StreamObserver<LeaseKeepAliveResponse> {
    private final Client client;
    private final long id;
    private final AtomicLong renewals = new AtomicLong();
    private volatile boolean kept = true;

    JetcdLease(String addresses, Duration ttl) throws Exception {
        client = Client.builder()
                .endpoints(Arrays.stream(addresses.split(","))
                        .map(address -> "http://" + address)
                        .toArray(String[]::new))
                .build();
        id = client.getLeaseClient().grant(ttl.toSeconds()).get().getID();
        client.getLeaseClient().keepAlive(id, this);
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    Client client() {
        return client;
    }

    long id() {
        return id;
    }

    long renewals() {
        return renewals.get();
    }

    boolean isKept() {
        return kept;
    }

    /** Everything on the lease goes at once. */
    void close() {
        client.getLeaseClient().revoke(id).join();
        client.close();
    }

    @Override
    public void onNext(LeaseKeepAliveResponse renewed) {
        renewals.incrementAndGet();
    }

    @Override
    public void onError(Throwable lost) {
        kept = false;
    }

    @Override
    public void onCompleted() {
        kept = false;
    }
}
