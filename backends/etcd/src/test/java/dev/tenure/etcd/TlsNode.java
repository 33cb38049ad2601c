package dev.tenure.etcd;

import dev.tenure.etcd.cluster.EtcdNode;
import dev.tenure.etcd.cluster.EtcdServers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** One server that speaks TLS only, and wants to see certificates. */
final class TlsNode implements AutoCloseable {
    private final EtcdNode node;

    private TlsNode(EtcdNode node) {
        this.node = node;
    }

    static TlsNode start(Certificates made, String who) throws IOException {
        int client = freePort();
        int peer = freePort();
        Path folder = made.file("data-" + who);
        String place = "https://127.0.0.1:" + client;
        EtcdNode node = new EtcdNode(
                EtcdServers.NEWEST.etcd(),
                List.of(
                        "--data-dir=" + folder,
                        "--listen-peer-urls=http://127.0.0.1:" + peer,
                        "--initial-advertise-peer-urls=http://127.0.0.1:" + peer,
                        "--initial-cluster=default=http://127.0.0.1:" + peer,
                        "--listen-client-urls=" + place,
                        "--advertise-client-urls=" + place,
                        "--cert-file=" + made.file(who + ".pem"),
                        "--key-file=" + made.file(who + ".key"),
                        "--client-cert-auth",
                        "--trusted-ca-file=" + made.file("ca.pem"),
                        "--log-level=error"),
                made.file(who + ".log"),
                client);
        node.start();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> accepts(client));
        return new TlsNode(node);
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    int port() {
        return node.clientPort();
    }

    @Override
    public void close() {
        node.kill();
    }
}
