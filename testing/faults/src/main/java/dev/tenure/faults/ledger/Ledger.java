package dev.tenure.faults.ledger;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A resource with a fence, in the campaign's own process, so that no fault of a candidate or a store touches it. One line a
 * request, each answered: {@code hello node nanos}, {@code raise node token nonce}, {@code write node token nonce deadline},
 * {@code begin node token nanos deadline}, {@code renewed node token deadline}, {@code end node token nanos}, and
 * {@code ready node}.
 */
public final class Ledger implements AutoCloseable {
    /** What the ledger does with a token that is older than the newest it has seen. */
    public enum Door {
        FENCED,
        /** For the test of the checks: everything is let in. */
        OPEN
    }

    private final ServerSocket server;
    private final Door door;
    private final History history = new History();
    private long token;
    private String nonce = "";

    public Ledger(Door door) {
        this.door = door;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        daemon(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    public History history() {
        return history;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                client.setTcpNoDelay(true);
                daemon(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
                PrintWriter out = new PrintWriter(client.getOutputStream(), true, StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(answer(line.split(" ")));
            }
        } catch (IOException gone) {
            return; // a candidate was killed in the middle of a request
        }
    }

    private String answer(String[] words) {
        String node = words[1];
        switch (words[0]) {
            case "hello" -> history.hello(node, number(words[2]));
            case "ready" -> history.ready(node);
            case "begin" -> history.begin(node, number(words[2]), number(words[3]), number(words[4]));
            case "renewed" -> history.renewed(node, number(words[2]), number(words[3]));
            case "end" -> history.end(node, number(words[2]), number(words[3]));
            case "raise", "write" -> {
                return fence(words);
            }
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
        return "ok";
    }

    /** The comparison and the record of it are one step: the history has the ledger's own order. */
    private synchronized String fence(String[] words) {
        long asked = number(words[2]);
        boolean fresh = asked > token || (asked == token && words[3].equals(nonce));
        if (fresh) {
            token = asked;
            nonce = words[3];
        }
        boolean accepted = fresh || door == Door.OPEN;
        long nanos = System.nanoTime();
        if (words[0].equals("write")) {
            history.wrote(new Event.Write(nanos, words[1], asked, words[3], accepted), number(words[4]));
        } else {
            history.raised(new Event.Raise(nanos, words[1], asked, words[3], accepted));
        }
        return accepted ? "ok" : "stale " + token;
    }

    private static long number(String word) {
        return Long.parseLong(word);
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "ledger");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
