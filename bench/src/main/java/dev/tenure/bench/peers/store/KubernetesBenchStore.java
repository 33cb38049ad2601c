// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.peers.store;

import dev.tenure.bench.peers.contender.Kind;
import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One API server of Kubernetes over one etcd. */
public final class KubernetesBenchStore extends UncountedStore {
    private final ApiServer server = ApiServer.start(ApiServerPrograms.apiServer()
            .orElseThrow(() ->
                    new IllegalStateException("no kube-apiserver: ./verify builds one, which takes minutes once")));

    public KubernetesBenchStore() {
        server.makeNamespace("bench");
    }

    @Override
    public String name() {
        return "Kubernetes";
    }

    @Override
    public List<Kind> peers() {
        return List.of(Kind.FABRIC8);
    }

    @Override
    public String address(Kind kind) {
        String kubeconfig = server.kubeconfig(ApiServer.ADMIN).toString();
        return kind == Kind.TENURE ? "kubernetes://bench?kubeconfig=" + kubeconfig : kubeconfig;
    }

    @Override
    public String address(Kind kind, int single) {
        return address(kind);
    }

    /** Those who wait count a TTL from when they saw the last renewal, and then write. */
    @Override
    public Optional<Duration> expiryDelayMax() {
        return Optional.of(Duration.ofMillis(500));
    }

    @Override
    public void close() {
        server.close();
    }
}
