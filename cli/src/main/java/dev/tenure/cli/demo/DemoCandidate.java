package dev.tenure.cli.demo;

import dev.tenure.Fence;
import dev.tenure.FencingToken;
import dev.tenure.Leadership;
import dev.tenure.Loss;
import dev.tenure.StaleTokenException;
import dev.tenure.Tenure;
import dev.tenure.TenureEvent;
import dev.tenure.Term;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One candidate of the demo, in a process of its own: {@code DemoCandidate NAME URL LEDGER_PORT}. Reports on standard output. */
final class DemoCandidate {
    static final Duration TTL = Duration.ofSeconds(2);
    static final String ELECTION = "ledger";
    private static final Duration BETWEEN_WRITES = Duration.ofMillis(400);

    private DemoCandidate() {}

    public static void main(String[] args) {
        Ledger.daemon("demo-parent", DemoCandidate::endWithParent);
        LedgerClient ledger = new LedgerClient(Integer.parseInt(args[2]));
        try (Tenure tenure = Tenure.connect(args[1]).node(args[0]).ttl(TTL).open()) {
            tenure.onEvent(DemoCandidate::report);
            var candidacy = tenure.elect(ELECTION).fencedBy(ledger).perform(leadership -> work(leadership, ledger));
            System.out.println("standing");
            candidacy.retired().toCompletableFuture().join();
        }
    }

    private static void work(Leadership leadership, LedgerClient ledger) throws Exception {
        while (leadership.isActive()) {
            ledger.append(leadership.term());
            leadership.rest(BETWEEN_WRITES);
        }
    }

    private static void report(TenureEvent event) {
        if (event instanceof TenureEvent.Elected elected) {
            System.out.println("elected " + elected.term().token());
        } else if (event instanceof TenureEvent.Lost lost) {
            System.out.println("lost " + words(lost.loss()));
        }
    }

    private static String words(Loss loss) {
        if (loss instanceof Loss.Fenced) {
            return "the ledger has seen a newer token";
        }
        return loss instanceof Loss.Expired ? "its own deadline had passed" : "its session is gone";
    }

    // The end of file on standard input is the end of the demo, however it ended.
    private static void endWithParent() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException gone) {
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(1);
    }

    /** A candidate's way to the ledger. Plain sockets, since an interrupt does not close them in the middle of a write. */
    private record LedgerClient(int port) implements Fence {
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
}
