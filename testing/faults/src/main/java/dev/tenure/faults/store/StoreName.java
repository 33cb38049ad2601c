// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.store;

import dev.tenure.faults.keyvalue.ConsulStore;
import dev.tenure.faults.keyvalue.EtcdStore;
import dev.tenure.faults.keyvalue.KubernetesStore;
import dev.tenure.faults.keyvalue.SentinelStore;
import dev.tenure.faults.keyvalue.ZooKeeperStore;
import dev.tenure.faults.sql.AdvisoryStore;
import dev.tenure.faults.sql.MariaDbStore;
import dev.tenure.faults.sql.PostgresStore;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The stores that can be put to the test. */
public enum StoreName {
    ETCD,
    ZOOKEEPER,
    POSTGRES,
    POSTGRES_ADVISORY,
    MARIADB,
    CONSUL,
    KUBERNETES,
    REDIS,
    LOCAL;

    public static StoreName of(String text) {
        return Arrays.stream(values())
                .filter(name -> name.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no store is called " + text + "; there are: "
                        + Arrays.stream(values()).map(StoreName::toString).collect(Collectors.joining(", "))));
    }

    /** Its servers run when this returns. */
    public StoreUnderTest start() throws Exception {
        return switch (this) {
            case ETCD -> EtcdStore.start();
            case ZOOKEEPER -> ZooKeeperStore.start();
            case POSTGRES -> PostgresStore.running();
            case POSTGRES_ADVISORY -> AdvisoryStore.running();
            case MARIADB -> MariaDbStore.running();
            case CONSUL -> ConsulStore.start();
            case KUBERNETES -> KubernetesStore.running();
            case REDIS -> SentinelStore.start();
            case LOCAL -> LocalFilesStore.start();
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
