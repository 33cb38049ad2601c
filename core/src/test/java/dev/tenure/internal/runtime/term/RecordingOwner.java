// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** The owner of a term in a test: keeps what fences have seen, and how terms have ended. */
record RecordingOwner(Executor threads, List<FencingToken> fenced, List<Loss> ended) implements LeadershipHandle.Owner {
    /** Keeps nothing: for tests in which many threads call it. */
    static final LeadershipHandle.Owner SILENT = new LeadershipHandle.Owner() {
        @Override
        public void ended(Term term, Loss result) {}

        @Override
        public void fenced(Term term, FencingToken seen) {}

        @Override
        public void callOnLoss(Runnable listeners) {}

        @Override
        public void callOnRenewal(Runnable listeners) {}
    };

    RecordingOwner(Executor threads) {
        this(threads, new ArrayList<>(), new ArrayList<>());
    }

    @Override
    public void ended(Term term, Loss result) {
        ended.add(result);
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
