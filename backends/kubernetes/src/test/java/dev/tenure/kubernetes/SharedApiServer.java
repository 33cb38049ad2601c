// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tenure.Tenure;
import dev.tenure.kubernetes.apiserver.ApiServer;
import dev.tenure.kubernetes.apiserver.ApiServerPrograms;
import java.nio.file.Path;
import java.util.Optional;

/** One server for all tests that only need a namespace of their own; it ends with the JVM. */
final class SharedApiServer {
    private static Optional<ApiServer> running = Optional.empty();

    private SharedApiServer() {}

    static synchronized ApiServer get() {
        if (running.isEmpty()) {
            ApiServer server = ApiServer.start(program());
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            warmUp("kubernetes://default?kubeconfig=" + server.kubeconfig(ApiServer.ADMIN));
            running = Optional.of(server);
        }
        return running.get();
    }

    /** In a young JVM the first requests take seconds, and most of them if eight tests begin at once: one goes ahead. */
    private static void warmUp(String url) {
        try (Tenure first = Tenure.connect(url).open()) {
            first.elect("warm-up")
                    .perform(leadership -> {})
                    .retired()
                    .toCompletableFuture()
                    .join();
        }
    }

    static Path program() {
        Optional<Path> program = ApiServerPrograms.apiServer();
        assumeTrue(
                program.isPresent(), "no kube-apiserver was built: run build-apiserver, which takes some minutes once");
        return program.orElseThrow();
    }

    /** The namespace is made if it is not there. */
    static String url(String namespace, String options) {
        ApiServer server = get();
        server.makeNamespace(namespace);
        return "kubernetes://" + namespace + "?kubeconfig=" + server.kubeconfig(ApiServer.ADMIN) + options;
    }
}
