// SPDX-License-Identifier: Apache-2.0
package dev.tenure.faults.keyvalue;

import dev.tenure.faults.candidate.Candidate;
import dev.tenure.faults.store.FaultScope;
import dev.tenure.faults.store.Primary;
import dev.tenure.faults.store.Records;
import dev.tenure.faults.store.Servers;
import dev.tenure.faults.store.StoreUnderTest;
import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One API server of Kubernetes. Candidates go there by kubeconfigs that name their own links. */
public final class KubernetesStore implements StoreUnderTest, Primary, Records {
    private static final String NAMESPACE = "faults";
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/" + NAMESPACE + "/leases";
    private static final int OK = 200;

    private final ApiServer server;

    private KubernetesStore(ApiServer server) {
        this.server = server;
    }

    public static KubernetesStore running() {
        KubernetesStore store = new KubernetesStore(ApiServer.start(ApiServerPrograms.apiServer()
                .orElseThrow(() -> new IllegalStateException("no kube-apiserver was built: run build-apiserver"))));
        store.server.makeNamespace(NAMESPACE);
        return store;
    }

    @Override
    public List<Integer> ports() {
        return List.of(server.port());
    }

    @Override
    public Optional<Servers> servers() {
        return Optional.empty();
    }

    @Override
    public Optional<Primary> primary() {
        return Optional.of(this);
    }

    @Override
    public Optional<Records> records() {
        return Optional.of(this);
    }

    @Override
    public String url(List<String> addresses) {
        String address = addresses.get(0);
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        return "kubernetes://" + NAMESPACE + "?kubeconfig="
                + server.kubeconfig(ApiServer.ADMIN, port, ApiServer.token(ApiServer.ADMIN));
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public void start() {
        server.restart();
    }

    @Override
    public void stop() {
        server.stop();
    }

    @Override
    public void goOn() {
        server.goOn();
    }

    /** An API server ends all connections only when it ends itself. */
    @Override
    public void endConnections() {
        server.restart();
    }

    /** There is no session: somebody blanks the holder, as a late release of client-go does. */
    @Override
    public void revokeSession() {
        send("PATCH", LEASES + "/" + Candidate.ELECTION, Optional.of("{\"spec\":{\"holderIdentity\":\"\"}}"));
    }

    @Override
    public void deleteClaim() {
        send("DELETE", LEASES + "/" + Candidate.ELECTION, Optional.empty());
    }

    @Override
    public void wipe() {
        send("DELETE", LEASES, Optional.empty());
    }

    private void send(String method, String path, Optional<String> json) {
        int status = server.send(method, path, json).statusCode();
        if (status != OK) {
            throw new IllegalStateException(method + " of " + path + " is answered with " + status);
        }
    }

    /** By docs/backends/kubernetes.md: a TTL after those who wait saw the last renewal, which may be a TTL after the server is back. */
    @Override
    public Duration bound(FaultScope scope, Duration ttl) {
        return switch (scope) {
            case CANDIDATE, ANSWERS -> ttl.plus(ttl.dividedBy(4));
            case SERVER, STORE -> ttl.multipliedBy(2);
            case RECORDS -> ttl.dividedBy(2);
        };
    }

    @Override
    public void close() {
        server.close();
    }
}
