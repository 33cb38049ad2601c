package dev.tenure.local.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A resource with a fence, in the test's own process, so that no pause or kill of a candidate touches it. One line a
 * request: {@code raise token nonce}, {@code write token nonce node}, or {@code told node text}.
 */
final class Ledger implements AutoCloseable {
    record Entry(String node, long token, String nonce, boolean accepted) {}

    private final ServerSocket server;
    private final List<Entry> writes = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private long token;
    private String nonce = "";

    Ledger() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    synchronized List<Entry> writes() {
        return List.copyOf(writes);
    }

    synchronized long acceptedUnder(long ofToken) {
        return writes.stream()
                .filter(entry -> entry.accepted && entry.token == ofToken)
                .count();
    }

    synchronized long refusedUnder(long ofToken) {
        return writes.stream()
                .filter(entry -> !entry.accepted && entry.token == ofToken)
                .count();
    }

    synchronized List<String> told() {
        return List.copyOf(told);
    }

    synchronized long token() {
        return token;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
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
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(answer(line.split(" ", 4)));
            }
        } catch (IOException gone) {
            return; // a candidate was killed in the middle of a request
        }
    }

    private synchronized String answer(String[] words) {
        if (words[0].equals("told")) {
            told.add(words[1] + " " + words[2]);
            return "ok";
        }
        long asked = Long.parseLong(words[1]);
        boolean fresh = asked > token || (asked == token && words[2].equals(nonce));
        if (fresh) {
            token = asked;
            nonce = words[2];
        }
        if (words[0].equals("write")) {
            writes.add(new Entry(words[3], asked, words[2], fresh));
        }
        return fresh ? "ok" : "stale " + token;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "ledger");
        thread.setDaemon(true);
        thread.start();
    }
}
