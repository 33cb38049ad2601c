package dev.tenure.local.process;

import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.StaleTokenException;
import dev.tenure.Term;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The ledger as a candidate sees it. */
final class LedgerClient implements Fence {
    private final Socket socket;
    private final BufferedReader in;
    private final PrintWriter out;

    LedgerClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    @Override
    public void raise(Term term) throws Exception {
        check(term, "raise " + term.token() + " " + term.nonce());
    }

    void write(Term term, String node) throws Exception {
        check(term, "write " + term.token() + " " + term.nonce() + " " + node);
    }

    synchronized void tell(String node, String text) throws IOException {
        out.println("told " + node + " " + text);
        in.readLine();
    }

    private synchronized void check(Term term, String request) throws Exception {
        out.println(request);
        String answer = in.readLine();
        if (answer == null) {
            throw new IOException("the ledger is gone");
        }
        if (answer.startsWith("stale ")) {
            throw new StaleTokenException("the ledger", term, FencingToken.parse(answer.substring(6)));
        }
    }
}
