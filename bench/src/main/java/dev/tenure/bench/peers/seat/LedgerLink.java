package dev.tenure.bench.peers.seat;

import dev.tenure.Fence;
import dev.tenure.Term;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The ledger as a leader sees it. Only Tenure raises it. */
final class LedgerLink implements Fence {
    private final int client;
    private final BufferedReader in;
    private final PrintWriter out;

    LedgerLink(int port, int client) throws IOException {
        this.client = client;
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    @Override
    public void raise(Term term) throws IOException {
        ask("raise " + client + " " + term.token().value() + " 0");
    }

    void begin() throws IOException {
        ask("begin " + client + " 0 0");
    }

    /** It does not mind being refused: whether it may write is asked elsewhere. */
    void row(long token, long askedNanos) throws IOException {
        ask("row " + client + " " + token + " " + askedNanos);
    }

    private synchronized void ask(String request) throws IOException {
        out.println(request);
        if (in.readLine() == null) {
            throw new IOException("the ledger is gone");
        }
    }
}
