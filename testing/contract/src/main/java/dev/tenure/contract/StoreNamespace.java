// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.BackendTraits;
import dev.tenure.spi.Host;
import dev.tenure.spi.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** What one test of a store needs: a namespace of its own, and clients that are closed after it. */
final class StoreNamespace implements AutoCloseable {
    /** How the backend under test is reached. */
    @FunctionalInterface
    interface Opener {
        LeaseStore open(String namespace, Host host) throws Exception;
    }

    private final String namespace = TestScale.freshNamespace();
    private final Opener opener;
    private final Supplier<Duration> wantedTtl;
    private final Function<Duration, Await> await;
    private final List<LeaseStore> stores = new ArrayList<>();
    private final List<Host> hosts = new ArrayList<>();

    StoreNamespace(Opener opener, Supplier<Duration> wantedTtl, Function<Duration, Await> await) {
        this.opener = opener;
        this.wantedTtl = wantedTtl;
        this.await = await;
    }

    /** Another client of the namespace of this test, with threads of its own. */
    StoreClient open() {
        return open(SystemHost.start("contract"));
    }

    StoreClient open(Host host) {
        return open(namespace, host);
    }

    /** A client of another namespace. */
    StoreClient elsewhere() {
        return open(TestScale.freshNamespace(), SystemHost.start("contract"));
    }

    private StoreClient open(String place, Host host) {
        hosts.add(host);
        LeaseStore store;
        try {
            store = opener.open(place, host);
        } catch (Exception failure) {
            throw new AssertionError("the store under test cannot be opened: " + failure, failure);
        }
        stores.add(store);
        return new StoreClient(store, await.apply(ttlOf(store.traits())));
    }

    List<StoreClient> open(int clients) {
        List<StoreClient> opened = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            opened.add(open());
        }
        return List.copyOf(opened);
    }

    /** The TTL to test with on this store. */
    Duration ttl(StoreClient client) {
        return ttlOf(client.traits());
    }

    private Duration ttlOf(BackendTraits traits) {
        return TestScale.ttl(wantedTtl.get(), traits);
    }

    @Override
    public void close() {
        stores.forEach(LeaseStore::close);
        hosts.forEach(Host::shutdown);
    }
}
