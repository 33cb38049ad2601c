// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.election.CampaignResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One lease that is kept alive, and one campaign on it for each election. */
final class JetcdContender implements Contender {
    private final JetcdLease lease;

    JetcdContender(String addresses, Duration ttl) throws Exception {
        lease = new JetcdLease(addresses, ttl);
    }

    @Override
    public Stand stand(String election, Leading leading) {
        ByteSequence name = JetcdLease.bytes("jetcd/" + election);
        CompletableFuture<CampaignResponse> campaign =
                lease.client().getElectionClient().campaign(name, lease.id(), JetcdLease.bytes("bench"));
        CompletableFuture<CampaignResponse> elected = campaign.thenApply(response -> {
            LeadingCallback.begin(leading);
            return response;
        });
        return new Stood(lease, elected);
    }

    @Override
    public long heartbeats() {
        return lease.renewals();
    }

    @Override
    public void close() {
        lease.close();
    }

    private record Stood(JetcdLease lease, CompletableFuture<CampaignResponse> elected) implements Stand {
        /** jetcd has no word for it: what a user has is the end of the keep-alive. */
        @Override
        public boolean believes() {
            return elected.isDone() && lease.isKept();
        }

        @Override
        public long token() {
            return elected.join().getLeader().getRevision();
        }

        @Override
        public void leave() {
            lease.client()
                    .getElectionClient()
                    .resign(elected.join().getLeader())
                    .join();
        }
    }
}
