package dev.tenure.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What comes to the port of a member from others than members. */
class PortTest {
    private static final int STRANGERS = 200;

    @TempDir
    private static Path folder;

    private Trio trio = new Trio("");

    @BeforeEach
    void start() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef0123456789abcdef");
        trio = Trio.started("secret.file=" + secret);
    }

    @AfterEach
    void close() {
        trio.close();
    }

    private Socket stranger() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), trio.port("b"));
    }

    private long turnedAway() {
        return trio.group("b").network().turnedAway();
    }

    @Test
    void garbage_is_closed_and_counted_and_the_group_goes_on() throws IOException {
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

        await().until(() -> turnedAway() >= STRANGERS);
        assertServes();
    }

    @Test
    void other_protocols_and_half_greetings_are_sent_away() throws IOException {
        for (String text :
                List.of("GET / HTTP/1.1\r\nHost: b\r\n\r\n", "\0\0\0\7\1TPEE\1", "\0\0\0\2\1x", "\0\0\0\1\2")) {
            try (Socket socket = stranger()) {
                OutputStream out = socket.getOutputStream();
                out.write(text.getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
                socket.shutdownOutput();
                await().until(() -> hasEnded(socket));
            }
        }

        assertServes();
    }

    @Test
    void connections_that_say_nothing_do_not_keep_members_out() throws IOException {
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < 3 * Network.STRANGERS_MAX; i++) {
            silent.add(stranger());
        }

        await().until(() -> turnedAway() >= Network.STRANGERS_MAX);
        trio.stop("a");
        trio.restart("a");

        assertServes();
        for (Socket socket : silent) {
            socket.close();
        }
    }

    @Test
    void who_does_not_know_the_secret_is_no_member_and_sees_nothing() throws IOException {
        Path other = Files.writeString(folder.resolve("other"), "fedcba9876543210fedcba9876543210");
        trio.stop("a");
        long before = turnedAway();

        Trio.Outsider outsider = trio.outsider("a", "secret.file=" + other);

        await().until(() -> turnedAway() > before);
        assertThat(trio.group("b").member().orElseThrow().outbox().reached()).doesNotContain(1);
        assertThat(outsider.missing()).contains("same secret");
        outsider.close();
    }

    @Test
    void a_member_that_is_called_and_does_not_know_the_secret_is_told_why_nobody_reaches_it() throws IOException {
        Path other = Files.writeString(folder.resolve("other"), "fedcba9876543210fedcba9876543210");
        trio.stop("c");

        Trio.Outsider outsider = trio.outsider("c", "secret.file=" + other);

        assertThat(outsider.missing())
                .contains("a@", "b@", "it has not called yet, unless it was refused", "same secret");
        outsider.close();
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
    }
}
