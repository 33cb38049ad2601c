package dev.tenure.cli.demo;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The resource that all candidates write to. It remembers the highest token that it has seen and refuses any lower one;
 * that is all a fence is. Spoken to in lines over a loopback socket:
 *
 * <pre>
 *   raise TOKEN NAME    ok N | stale SEEN       a new leader, before it starts to work
 *   read TOKEN NAME     ok N                    which entry comes next
 *   write TOKEN NAME    ok N | stale SEEN
 * </pre>
 */
final class Ledger implements Closeable {
    /** What the ledger tells the demo. */
    record Deed(String verb, String name, long token, boolean accepted, long seen) {}

    private final ServerSocket server;
    private final Consumer<Deed> observer;
    private long seen;
    private int entries;

    /** @param observer called before each answer goes out, one at a time */
    Ledger(Consumer<Deed> observer) throws IOException {
        this.observer = observer;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon("demo-ledger", this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                daemon("demo-ledger-client", () -> serve(client));
            }
        } catch (IOException closed) {
            return; // the demo is over
        }
    }

    private void serve(Socket client) {
        try (client;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
            OutputStream out = client.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                String answer = answer(words[0], Long.parseLong(words[1]), words[2]);
                out.write((answer + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException killed) {
            return; // candidates get killed in this play
        }
    }

    private synchronized String answer(String verb, long token, String name) {
        boolean reads = verb.equals("read");
        boolean accepted = reads || token >= seen;
        if (accepted && !reads) {
            seen = token;
            entries += verb.equals("write") ? 1 : 0;
        }
        observer.accept(new Deed(verb, name, token, accepted, seen));
        return accepted ? "ok " + entries : "stale " + seen;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    static void daemon(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }
}
