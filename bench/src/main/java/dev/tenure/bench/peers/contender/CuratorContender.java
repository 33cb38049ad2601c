// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** One client, and one latch on it for each election. */
final class CuratorContender implements Contender {
    private static final int CONNECT_SECONDS_MAX = 30;

    private final CuratorFramework client;

    CuratorContender(String addresses, Duration ttl) throws Exception {
        client = CuratorFrameworkFactory.builder()
                .connectString(addresses)
                .sessionTimeoutMs((int) ttl.toMillis())
                .retryPolicy(new ExponentialBackoffRetry(100, 10))
                .build();
        client.start();
        if (!client.blockUntilConnected(CONNECT_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IOException("no connection to " + addresses);
        }
    }

    @Override
    public Stand stand(String election, Leading leading) {
        LeaderLatch latch = new LeaderLatch(client, "/curator/" + election);
        latch.addListener(new LeaderLatchListener() {
            @Override
            public void isLeader() {
                LeadingCallback.begin(leading);
            }

            @Override
            public void notLeader() {}
        });
        try {
            latch.start();
        } catch (Exception failure) {
            throw new IllegalStateException(election, failure);
        }
        return new Stood(latch);
    }

    @Override
    public long heartbeats() {
        return 0;
    }

    /** Ends the session: every latch goes at once. */
    @Override
    public void close() {
        client.close();
    }

    private record Stood(LeaderLatch latch) implements Stand {
        @Override
        public boolean believes() {
            return latch.hasLeadership();
        }

        @Override
        public long token() {
            return 0;
        }

        @Override
        public void leave() throws IOException {
            latch.close();
        }
    }
}
