package dev.tenure.bench.peers.seat;

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

/** A table that takes every row, notes whether its writer was still the newest leader, and whether a fence would have taken it. */
public final class Ledger implements AutoCloseable {
    /** @param refusable by a fence: a newer token has been raised */
    public record Row(int writer, long askedNanos, boolean stale, boolean refusable) {}

    private final ServerSocket door;
    private final List<Row> rows = new ArrayList<>();
    private int newestWriter = -1;
    private long raised;

    public Ledger() throws IOException {
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    public int port() {
        return door.getLocalPort();
    }

    public synchronized List<Row> rows() {
        return List.copyOf(rows);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
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
                String[] words = line.split(" ");
                note(words[0], Integer.parseInt(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
                out.println("ok");
            }
        } catch (IOException gone) {
            return; // a writer was killed in the middle of a row
        }
    }

    private synchronized void note(String what, int writer, long token, long askedNanos) {
        switch (what) {
            case "raise" -> raised = Math.max(raised, token);
            case "begin" -> newestWriter = writer;
            default -> rows.add(new Row(writer, askedNanos, writer != newestWriter, token < raised));
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "ledger");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
