// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.faults.keyvalue.KubernetesStore;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import java.time.Duration;

class KubernetesFaultsTest extends FaultsOn {
    KubernetesFaultsTest() {
        super("kubernetes", Duration.ofSeconds(3));
    }

    @Override
    StoreUnderTest startStore() {
        assumeTrue(
                ApiServerPrograms.apiServer().isPresent(),
                "no kube-apiserver was built: run build-apiserver, which takes some minutes once");
        return KubernetesStore.running();
    }
}
