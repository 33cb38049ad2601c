// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.claim;

import dev.tenure.etcd.client.EtcdClient;
import dev.tenure.etcd.client.Keys;
import dev.tenure.spi.Host;
import java.util.function.BooleanSupplier;

/** Where sessions live. */
public record EtcdContext(EtcdClient client, WatchHub hub, Host host, Keys keys, BooleanSupplier mayRenewDeadLeases) {}
