// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.contender;

import dev.tenure.Fence;
import dev.tenure.bench.peers.contender.lock.ConsulLockContender;
import dev.tenure.bench.peers.contender.lock.PolledAdvisoryLock;
import dev.tenure.bench.peers.contender.lock.RedissonContender;
import dev.tenure.bench.peers.contender.lock.ShedLockContender;
import java.time.Duration;
import java.util.List;

/** The contenders that are measured. */
public enum Kind {
    TENURE("Tenure"),
    JETCD("jetcd Election"),
    ETCD_FLOOR("floor (jetcd KV)"),
    CURATOR("Curator LeaderLatch"),
    ZOOKEEPER_FLOOR("floor (raw client)"),
    SPRING("Spring LockRegistryLeaderInitiator"),
    SHEDLOCK("ShedLock, asked every 250 ms"),
    ADVISORY_POLLED("advisory lock, tried every 500 ms"),
    POSTGRES_FLOOR("floor (NOTIFY, UPDATE)"),
    ADVISORY_FLOOR("floor (pg_advisory_lock)"),
    REDISSON("Redisson RLock"),
    SHEDLOCK_REDIS("ShedLock on Redis, asked every 250 ms"),
    CONSUL_LOCK("consul lock"),
    FABRIC8("fabric8 LeaderElector");

    /** Every name begins with this; a store counts candidates by it. */
    public static final String ELECTIONS = "e-";

    private final String title;

    Kind(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** Is it a backend of Tenure? Then it has fencing tokens, and raises the fence of a ledger. */
    public boolean isOurs() {
        return this == TENURE;
    }

    /** @param address a URL for Tenure, {@code host:port,…}, a JDBC URL or a kubeconfig for the others */
    public Contender open(String address, Duration ttl, List<Fence> fences) throws Exception {
        return switch (this) {
            case TENURE -> new TenureContender(address, ttl, fences);
            case JETCD -> new JetcdContender(address, ttl);
            case ETCD_FLOOR -> new EtcdFloor(address, ttl);
            case CURATOR -> new CuratorContender(address, ttl);
            case ZOOKEEPER_FLOOR -> new ZooKeeperFloor(address, ttl);
            case SPRING -> new SpringContender(address, ttl);
            case SHEDLOCK -> ShedLockContender.jdbc(address, ttl);
            case ADVISORY_POLLED -> new PolledAdvisoryLock(address);
            case POSTGRES_FLOOR -> new PostgresFloor(address);
            case ADVISORY_FLOOR -> new AdvisoryFloor(address);
            case REDISSON -> new RedissonContender(address, ttl);
            case SHEDLOCK_REDIS -> ShedLockContender.redis(address, ttl);
            case CONSUL_LOCK -> new ConsulLockContender(address);
            case FABRIC8 -> new Fabric8Contender(address, ttl);
        };
    }
}
