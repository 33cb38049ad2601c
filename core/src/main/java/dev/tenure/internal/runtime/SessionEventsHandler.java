// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Loss;
import dev.tenure.Term;
import dev.tenure.internal.engine.ElectionEvent;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.OperatorRequest;
import dev.tenure.spi.SessionEvents;
import java.util.Optional;

/**
 * What one session pushes. When another session is open, it is out of date, but for facts: a token that was seen, and that
 * this very session is gone.
 */
final class SessionEventsHandler implements SessionEvents {
    private final Engine engine;
    private String session = "";

    SessionEventsHandler(Engine engine) {
        this.engine = engine;
    }

    /** On the loop. */
    void opened(String id) {
        session = id;
    }

    private void ifCurrent(Runnable event) {
        engine.post(() -> {
            if (engine.runner.isOpen(session)) {
                event.run();
            }
        });
    }

    @Override
    public void granted(ElectionName election, ClaimReply.Granted grant) {
        engine.post(() -> {
            if (engine.runner.isOpen(session)) {
                engine.standing(election).ifPresent(candidate -> candidate.pushed(grant));
            }
            engine.seen(election, grant.token());
        });
    }

    @Override
    public void changed(ElectionName election) {
        ifCurrent(() -> engine.standing(election).ifPresent(candidate -> {
            if (candidate.heldTerm().isPresent()) {
                engine.checks.verify(candidate);
            } else {
                candidate.on(new ElectionEvent.Hinted());
            }
        }));
    }

    @Override
    public void tokenObserved(ElectionName election, long token) {
        engine.post(() -> engine.seen(election, new FencingToken(token)));
    }

    @Override
    public void blocked(ElectionName election, String why) {
        BackendException told = BackendException.unreachable(why);
        ifCurrent(() -> engine.troubled("waiting for " + election, told));
    }

    @Override
    public void requested(OperatorRequest request) {
        ifCurrent(() -> obey(request));
    }

    private void obey(OperatorRequest request) {
        Optional<CandidacyRunner> candidate = engine.standing(request.election());
        Optional<FencingToken> held =
                candidate.flatMap(CandidacyRunner::heldTerm).map(Term::token);
        if (held.equals(Optional.of(request.token()))) {
            candidate.orElseThrow().on(new ElectionEvent.EndWanted(new Loss.Resigned("asked by " + request.by())));
        }
        if (held.isPresent() && !request.token().isNewerThan(held.get())) {
            engine.call(
                    "clear",
                    open -> open.clear(request),
                    done -> {},
                    failure -> engine.troubled("clearing a request", failure));
        }
    }

    @Override
    public void reconnected() {
        ifCurrent(engine.checks::verifyAll);
    }

    @Override
    public void lost(String why) {
        engine.post(() -> engine.runner.gone(session, why));
    }
}
