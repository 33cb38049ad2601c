// SPDX-License-Identifier: Apache-2.0
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
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One candidate of the demo, in a process of its own: {@code DemoCandidate NAME URL}. Reports on standard output. */
final class DemoCandidate {
    static final Duration TTL = Duration.ofSeconds(2);
    static final String ELECTION = "ledger";
    private static final Duration BETWEEN_WRITES = Duration.ofMillis(400);

    private DemoCandidate() {}

    public static void main(String[] args) {
        LedgerClient ledger = new LedgerClient();
        DemoProcess.daemon("demo-ledger", ledger::listen);
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

    /** A candidate's way to the ledger, which its parent keeps: a line on standard output, and the answer on standard input. */
    private static final class LedgerClient implements Fence {
        private volatile CompletableFuture<String> answer = new CompletableFuture<>();

        // The end of file is the end of the demo, however it ended.
        void listen() {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            try {
                in.lines().forEach(line -> answer.complete(line));
            } finally {
                Runtime.getRuntime().halt(1);
            }
        }

        @Override
        public void raise(Term term) throws StaleTokenException {
            ask("raise", term);
        }

        /** Looks up where the next entry goes, and then writes it: between the two anything may happen. */
        void append(Term term) throws StaleTokenException {
            ask("read", term);
            ask("write", term);
        }

        private synchronized void ask(String verb, Term term) throws StaleTokenException {
            answer = new CompletableFuture<>();
            System.out.println(verb + " " + term.token());
            String told = answer.join(); // which an interrupt does not end
            if (told.startsWith("stale ")) {
                throw new StaleTokenException(
                        "the ledger", term, FencingToken.parse(told.substring("stale ".length())));
            }
        }
    }
}
