// SPDX-License-Identifier: Apache-2.0
package dev.tenure.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/** Answers each line that a {@link LineClient} sends with one line, on a thread for each client. */
public final class LineServer implements AutoCloseable {
    private final ServerSocket listening;
    private final UnaryOperator<String> answer;

    /** @param answer called on several threads at once */
    public LineServer(UnaryOperator<String> answer) {
        this.answer = answer;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        daemon(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                daemon(() -> serve(client));
            }
        } catch (IOException closed) {
            return;
        }
    }

    private void serve(Socket client) {
        try (client;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
                PrintWriter out = new PrintWriter(client.getOutputStream(), true, StandardCharsets.UTF_8)) {
            client.setTcpNoDelay(true);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(answer.apply(line));
            }
        } catch (IOException gone) {
            return; // a client was killed in the middle of a request
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "line-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
