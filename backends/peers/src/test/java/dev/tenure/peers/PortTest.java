// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenure.peers.connection.PeerConnections;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes to the port of a member from others than members. Afterwards no thread is left, and the group serves. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("slow")
class PortTest {
    private static final int STRANGERS = 200;

    @TempDir
    private Path folder;

    private final LoggedWarnings log = new LoggedWarnings();
    private Trio trio = new Trio("");

    private void start(String kind) throws IOException, InterruptedException {
        if (kind.equals("plain")) {
            trio = Trio.started("");
            return;
        }
        Certificates certificates = new Certificates(folder).authority("ca");
        for (String name : Trio.NAMES) {
            certificates.signed(name, name, "ca", 2);
        }
        trio = Trio.started(certificates.options("ca", "{me}"));
    }

    @AfterEach
    void close() {
        trio.close();
        log.close();
    }

    private Socket stranger() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), trio.port("b"));
    }

    private String toPort() {
        return "a connection from 127.0.0.1 to port " + trio.port("b") + " was closed: ";
    }

    private PeerConnections connections() {
        return trio.door("b").connections();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "tls"})
    void garbage_is_closed_and_counted_and_the_group_goes_on(String kind) throws Exception {
        start(kind);
        Random random = new Random(7);

        for (int i = 0; i < STRANGERS; i++) {
            try (Socket socket = stranger()) {
                byte[] garbage = new byte[8 + random.nextInt(4000)];
                random.nextBytes(garbage);
                garbage[0] |= (byte) 0x80; // a length that no greeting has
                socket.getOutputStream().write(garbage);
            } catch (IOException closedAlready) {
                continue;
            }
        }

        await().atMost(Trio.PATIENCE).until(() -> connections().turnedAway() >= STRANGERS);
        assertThat(log.containing(toPort()))
                .as("each reason once, however many come")
                .hasSizeBetween(1, 20);
        assertServes();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "tls"})
    void other_protocols_and_half_greetings_are_sent_away(String kind) throws Exception {
        start(kind);
        for (String text :
                List.of("GET / HTTP/1.1\r\nHost: b\r\n\r\n", "\0\0\0\6TPEE\2\0", "\0\0\0\2\1x", "\0\0\0\1\2")) {
            try (Socket socket = stranger()) {
                OutputStream out = socket.getOutputStream();
                out.write(text.getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
                socket.shutdownOutput();
                await().atMost(Trio.PATIENCE).until(() -> hasEnded(socket));
            }
        }

        assertServes();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "tls"})
    void connections_that_say_nothing_do_not_keep_members_out(String kind) throws Exception {
        start(kind);
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < 3 * PeerConnections.STRANGERS_MAX; i++) {
            silent.add(stranger());
        }

        await().atMost(Trio.PATIENCE).until(() -> connections().turnedAway() >= PeerConnections.STRANGERS_MAX);
        trio.stop("a");
        trio.restart("a");

        assertServes();
        for (Socket socket : silent) {
            socket.close();
        }
    }

    /** A byte now and then keeps every read from timing out. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "tls"})
    void a_connection_that_takes_its_time_is_closed_and_told_once(String kind) throws Exception {
        start(kind);
        byte[] slowly = kind.equals("plain") ? new byte[] {0, 0, 1, 0} : new byte[] {22, 3, 1, 1, 0};
        try (Socket socket = stranger()) {
            socket.getOutputStream().write(slowly);
            await().atMost(Trio.PATIENCE).pollInterval(Duration.ofMillis(200)).until(() -> {
                writeByte(socket);
                return hasEnded(socket);
            });
        }

        awaitToldOnce("it has not introduced itself within 4 s");
        assertServes();
    }

    /** Neither before nor after TLS stands is memory taken for a length that somebody claims. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "tls"})
    void a_frame_that_is_too_long_is_not_read(String kind) throws Exception {
        start(kind);
        long before = connections().turnedAway();
        try (Socket tcp = stranger()) {
            Socket socket = tcp;
            if (kind.equals("tls")) {
                SSLSocket tls = (SSLSocket) trio.settings("a")
                        .security()
                        .tls()
                        .orElseThrow()
                        .getSocketFactory()
                        .createSocket(tcp, "127.0.0.1", tcp.getPort(), true);
                tls.startHandshake();
                assertThat(tls.getInputStream().read()).isEqualTo(1);
                socket = tls;
            }
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array());
            await().atMost(Trio.PATIENCE).until(() -> hasEnded(tcp));
        }

        await().atMost(Trio.PATIENCE).until(() -> connections().turnedAway() > before);
        awaitToldOnce("a frame that is not of 1 to 4096 bytes");
        assertServes();
    }

    /** The other side may see the end of the connection before the line is in the log. */
    private void awaitToldOnce(String why) {
        await().atMost(Trio.PATIENCE).until(() -> !log.containing(toPort(), why).isEmpty());
        assertThat(log.containing(toPort(), why)).hasSize(1);
    }

    private static void writeByte(Socket socket) {
        try {
            socket.getOutputStream().write(0);
        } catch (IOException ended) {
            // the next read tells so
        }
    }

    private static boolean hasEnded(Socket socket) throws IOException {
        socket.setSoTimeout(20);
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException stillOpen) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private void assertServes() {
        try (Stander stander = Stander.at(trio.door("b"))) {
            assertThat(stander.awaitGrant().token().value()).isPositive();
        }
        await().atMost(Trio.PATIENCE).until(() -> connections().strangers() == 0);
    }
}
