package dev.tenure.faults.candidate;

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

/** The ledger as a candidate sees it. Its link is never cut: the fence has to stand by itself. */
final class LedgerClient implements Fence {
    private final String node;
    private final BufferedReader in;
    private final PrintWriter out;

    LedgerClient(int port, String node) throws IOException {
        this.node = node;
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    void hello() throws IOException {
        ask("hello " + node + " " + System.nanoTime());
    }

    void ready() throws IOException {
        ask("ready " + node);
    }

    void begin(Term term, long nanos, long deadlineNanos) throws IOException {
        ask("begin " + node + " " + term.token() + " " + nanos + " " + deadlineNanos);
    }

    void renewed(Term term, long deadlineNanos) throws IOException {
        ask("renewed " + node + " " + term.token() + " " + deadlineNanos);
    }

    void end(Term term, long nanos) throws IOException {
        ask("end " + node + " " + term.token() + " " + nanos);
    }

    @Override
    public void raise(Term term) throws Exception {
        check(term, ask("raise " + node + " " + term.token() + " " + term.nonce()));
    }

    /** @param deadlineNanos of the belief with which it is written; 0 if there is none any more */
    void write(Term term, long deadlineNanos) throws IOException, StaleTokenException {
        check(term, ask("write " + node + " " + term.token() + " " + term.nonce() + " " + deadlineNanos));
    }

    private static void check(Term term, String answer) throws StaleTokenException {
        if (answer.startsWith("stale ")) {
            throw new StaleTokenException("the ledger", term, FencingToken.parse(answer.substring("stale ".length())));
        }
    }

    private synchronized String ask(String request) throws IOException {
        out.println(request);
        String answer = in.readLine();
        if (answer == null) {
            throw new IOException("the ledger is gone");
        }
        return answer;
    }
}
