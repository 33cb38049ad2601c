// SPDX-License-Identifier: Apache-2.0
package dev.tenure.consul;

import dev.tenure.support.TcpProxy;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** A way to one server that knows requests: it counts them, keeps one back, or loses the answer to one. */
final class HttpProxy implements AutoCloseable {
    private final TcpProxy proxy;
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private volatile String heldBack = "";
    private volatile String unanswered = "";
    private volatile boolean mute;
    private final CountDownLatch holding = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final CountDownLatch passed = new CountDownLatch(1);

    HttpProxy(int port) {
        this.proxy = new TcpProxy(port, this::carry, this::carryAnswers);
    }

    String address() {
        return proxy.address();
    }

    /** The first request whose head or body contains this waits until it is let go. */
    void holdBack(String text) {
        heldBack = text;
    }

    void awaitHolding() throws InterruptedException {
        holding.await();
    }

    void letGo() throws InterruptedException {
        letGo.countDown();
        passed.await();
    }

    /** From the first request on that contains this, which is applied, no answer comes back. */
    void loseAnswersFrom(String text) {
        unanswered = text;
    }

    /** Answers come back again, on new connections. */
    void heal() {
        unanswered = "";
        mute = false;
        proxy.resetConnections();
    }

    private void carryAnswers(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[16 * 1024];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            if (!mute) {
                out.write(buffer, 0, read);
            }
        }
    }

    /** First line and body of each. */
    Queue<String> requests() {
        return requests;
    }

    private void carry(InputStream in, OutputStream out) throws IOException, InterruptedException {
        while (true) {
            String head = head(in);
            int length = length(head);
            byte[] body = in.readNBytes(length);
            String request = head.lines().findFirst().orElse("") + " " + new String(body, StandardCharsets.UTF_8);
            requests.add(request);
            boolean late = !heldBack.isEmpty() && request.contains(heldBack);
            if (late) {
                heldBack = "";
                holding.countDown();
                letGo.await();
            }
            mute |= !unanswered.isEmpty() && request.contains(unanswered);
            out.write(head.getBytes(StandardCharsets.ISO_8859_1));
            out.write(body);
            out.flush();
            if (late) {
                passed.countDown();
            }
        }
    }

    private static int length(String head) {
        return head.lines()
                .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElse(0);
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException();
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        letGo.countDown();
        proxy.close();
    }
}
