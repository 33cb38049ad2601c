package dev.tenure.internal.loop;

import dev.tenure.FencingToken;
import dev.tenure.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** The owner of a term in a test: keeps what fences have seen. */
record RecordingOwner(Executor threads, List<FencingToken> fenced) implements LiveLeadership.Owner {
    /** Keeps nothing: for tests in which many threads call it. */
    static final LiveLeadership.Owner SILENT = new LiveLeadership.Owner() {
        @Override
        public void fenced(Term term, FencingToken seen) {}

        @Override
        public void callOnLoss(Runnable listeners) {}

        @Override
        public void callOnRenewal(Runnable listeners) {}
    };

    RecordingOwner(Executor threads) {
        this(threads, new ArrayList<>());
    }

    @Override
    public void fenced(Term term, FencingToken seen) {
        fenced.add(seen);
    }

    @Override
    public void callOnLoss(Runnable listeners) {
        threads.execute(listeners);
    }

    @Override
    public void callOnRenewal(Runnable listeners) {
        threads.execute(listeners);
    }
}
