// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes.apiserver;

import dev.tenure.etcd.cluster.Cluster;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.support.ChildProcesses;
import dev.tenure.support.Folders;
import dev.tenure.support.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;

/**
 * One API server with an etcd of its own, and without controllers, scheduler or nodes: objects are stored, and nothing acts on them.
 * Users are known by their tokens; {@link #ADMIN} may do everything, and {@link #USER} what roles allow it. Ends with this JVM at the latest.
 */
public final class ApiServer implements AutoCloseable {
    public static final String ADMIN = "admin";
    /** Has no rights but those that a test gives it. */
    public static final String USER = "candidate";

    private static final Duration READY_MAX = Duration.ofMinutes(2);
    private static final Duration CALL_MAX = Duration.ofSeconds(20);

    private final Path program;
    private final Path folder = Folders.temporary("kubernetes");
    /** Without fsync: a disk that stalls must not stop the elections of a test, and nothing has to outlive the machine. */
    private final Cluster etcd = Cluster.start(EtcdServers.NEWEST, 1, "--unsafe-no-fsync");

    private final int port = Ports.free();
    private Optional<Process> process = Optional.empty();
    private Optional<HttpClient> http = Optional.empty();

    private ApiServer(Path program) {
        this.program = program;
    }

    /** Returns when it answers. */
    public static ApiServer start(Path program) {
        ApiServer server = new ApiServer(program);
        try {
            server.prepare();
            server.etcd.awaitReady();
            server.start();
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException("the API server cannot be prepared", failure);
        }
        return server;
    }

    private void prepare() throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair keys = generator.generateKeyPair();
        writePem("service-account.key", "PRIVATE KEY", keys.getPrivate());
        writePem("service-account.pub", "PUBLIC KEY", keys.getPublic());
        Files.writeString(
                folder.resolve("tokens.csv"),
                token(ADMIN) + "," + ADMIN + ",1,\"system:masters\"\n" + token(USER) + "," + USER + ",2\n");
    }

    private void writePem(String file, String kind, Key key) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
        Files.writeString(
                folder.resolve(file), "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
    }

    public static String token(String user) {
        return "token-of-" + user;
    }

    private void start() {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--etcd-servers=http://" + etcd.nodes().get(0).endpoint(),
                "--cert-dir=" + folder.resolve("certificates"),
                "--secure-port=" + port,
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",
                "--service-account-key-file=" + folder.resolve("service-account.pub"),
                "--service-account-signing-key-file=" + folder.resolve("service-account.key"),
                "--service-account-issuer=https://127.0.0.1",
                "--service-cluster-ip-range=10.0.0.0/24",
                "--token-auth-file=" + folder.resolve("tokens.csv"),
                "--authorization-mode=RBAC",
                "--disable-admission-plugins=ServiceAccount"));
        try {
            Process started = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            folder.resolve("log").toFile()))
                    .start();
            ChildProcesses.endWithThisJvm(started.toHandle());
            process = Optional.of(started);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        Awaitility.await("the API server is ready").atMost(READY_MAX).until(this::isReady);
    }

    private boolean isReady() {
        if (!process.orElseThrow().isAlive()) {
            throw new IllegalStateException("the API server has ended; its log is in " + folder);
        }
        try {
            return Files.exists(authority())
                    && send("GET", "/readyz", Optional.empty()).statusCode() == 200
                    && send("GET", "/api/v1/namespaces/default", Optional.empty())
                                    .statusCode()
                            == 200;
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }

    /** The certificate that it shows, which nobody else vouches for. */
    public Path authority() {
        return folder.resolve("certificates").resolve("apiserver.crt");
    }

    public int port() {
        return port;
    }

    /** Ends it with SIGKILL and starts it again; what it had stored is still there. */
    public void restart() {
        kill();
        start();
    }

    public void kill() {
        process.ifPresent(ChildProcesses::kill);
    }

    /** Alive, silent, and with all its connections open. */
    public void stop() {
        ChildProcesses.stop(process.orElseThrow().toHandle());
    }

    public void goOn() {
        ChildProcesses.resume(process.orElseThrow().toHandle());
    }

    /** A kubeconfig for this user. */
    public Path kubeconfig(String user) {
        return kubeconfig(user, port, token(user));
    }

    /** A kubeconfig that goes through another port, with this token. */
    public synchronized Path kubeconfig(String user, int throughPort, String token) {
        Path file = folder.resolve("kubeconfig-" + user + "-" + throughPort + "-" + token.hashCode());
        if (Files.exists(file)) {
            return file; // somebody may be reading it
        }
        String text = String.format(Locale.ROOT, """
                apiVersion: v1
                kind: Config
                current-context: test
                contexts: [{name: test, context: {cluster: test, user: %1$s, namespace: default}}]
                clusters: [{name: test, cluster: {server: "https://127.0.0.1:%2$d", certificate-authority: "%3$s"}}]
                users: [{name: %1$s, user: {token: "%4$s"}}]
                """, user, throughPort, authority(), token);
        try {
            Files.writeString(file, text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return file;
    }

    /** Made if it is not there. */
    public void makeNamespace(String name) {
        String body = "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"" + name + "\"}}";
        int status = send("POST", "/api/v1/namespaces", Optional.of(body)).statusCode();
        if (status != 201 && status != 409) {
            throw new IllegalStateException("namespace " + name + " cannot be made: " + status);
        }
    }

    /** As {@link #ADMIN}; the status and the body. */
    public HttpResponse<String> send(String method, String path, Optional<String> json) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path))
                .timeout(CALL_MAX)
                .header("Authorization", "Bearer " + token(ADMIN))
                .header("Content-Type", "PATCH".equals(method) ? "application/merge-patch+json" : "application/json")
                .method(
                        method,
                        json.map(HttpRequest.BodyPublishers::ofString).orElse(HttpRequest.BodyPublishers.noBody()))
                .build();
        try {
            return client().send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private HttpClient client() throws IOException {
        if (http.isEmpty()) {
            http = Optional.of(
                    HttpClient.newBuilder().sslContext(trusting(authority())).build());
        }
        return http.get();
    }

    private static SSLContext trusting(Path certificate) throws IOException {
        try (var in = Files.newInputStream(certificate)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, new char[0]);
            store.setCertificateEntry(
                    "server",
                    CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                            .reduce((first, last) -> last)
                            .orElseThrow(() -> new IOException(certificate + " is empty")));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException failure) {
            throw new IOException(failure);
        }
    }

    /** How many requests about Leases it has answered since it was started; long ones, such as watches, when they end. */
    public long leaseRequests(String verb) {
        return send("GET", "/metrics", Optional.empty())
                .body()
                .lines()
                .filter(line -> line.startsWith("apiserver_request_total{")
                        && line.contains("resource=\"leases\"")
                        && line.contains("verb=\"" + verb + "\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        kill();
        etcd.close();
        Folders.delete(folder);
    }
}
