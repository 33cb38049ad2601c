// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.io.File;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** One client, and one elector for each election. Its times stand to the TTL as client-go's defaults do: 15, 10 and 2. */
final class Fabric8Contender implements Contender {
    private final KubernetesClient client;
    private final Duration ttl;

    Fabric8Contender(String kubeconfig, Duration ttl) {
        this.client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(new File(kubeconfig)))
                .build();
        this.ttl = ttl;
    }

    @Override
    public Stand stand(String election, Leading leading) {
        String identity = UUID.randomUUID().toString();
        AtomicBoolean leads = new AtomicBoolean();
        LeaderCallbacks callbacks = new LeaderCallbacks(
                () -> {
                    leads.set(true);
                    LeadingCallback.begin(leading);
                },
                () -> leads.set(false),
                leader -> {});
        CompletableFuture<?> running = client.leaderElector()
                .withConfig(new LeaderElectionConfigBuilder()
                        .withName(identity)
                        .withLeaseDuration(ttl)
                        .withRenewDeadline(ttl.multipliedBy(10).dividedBy(15))
                        .withRetryPeriod(ttl.multipliedBy(2).dividedBy(15))
                        .withReleaseOnCancel(true)
                        .withLock(new LeaseLock("default", "fabric8-" + election, identity))
                        .withLeaderCallbacks(callbacks)
                        .build())
                .build()
                .start();
        return new Stood(running, leads);
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    @Override
    public void close() {
        client.close();
    }

    private record Stood(CompletableFuture<?> running, AtomicBoolean leads) implements Stand {
        @Override
        public boolean believes() {
            return leads.get();
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() {
            running.cancel(true);
        }
    }
}
