package dev.tenure.cli.demo;

import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A candidate's way to the ledger. Plain sockets, since an interrupt does not close them in the middle of a write. */
final class LedgerClient implements Fence {
    private final int port;

    LedgerClient(int port) {
        this.port = port;
    }

    @Override
    public void raise(Term term) throws IOException, StaleTokenException {
        ask("raise", term);
    }

    /** Looks up where the next entry goes, and then writes it: between the two anything may happen. */
    void append(Term term) throws IOException, StaleTokenException {
        ask("read", term);
        ask("write", term);
    }

    private void ask(String verb, Term term) throws IOException, StaleTokenException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String line = verb + " " + term.token() + " " + term.holder() + "\n";
            socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String answer = in.readLine();
            if (answer == null) {
                throw new IOException("the ledger is gone");
            }
            if (answer.startsWith("stale ")) {
                throw new StaleTokenException(
                        "the ledger", term, FencingToken.parse(answer.substring("stale ".length())));
            }
        }
    }
}
