// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import dev.tenure.ElectionName;
import dev.tenure.LeaderMetadata;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.Backend;
import dev.tenure.spi.ClaimReply;
import dev.tenure.spi.ClaimRequest;
import dev.tenure.spi.RenewReply;
import dev.tenure.spi.SessionRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Plays a script on a stage and writes down what is seen, in words that do not depend on how fast the store is, how it names
 * things and where its numbers begin: so two stages can be compared line by line.
 */
public final class ScriptRunner {
    public static final ElectionName ELECTION = ElectionName.of("x");
    private static final String GONE = "gone";
    private static final String FAILS = "fails";
    private static final long PATIENCE_NANOS = Duration.ofSeconds(40).toNanos();

    private final ScriptTarget target;
    private final Map<String, ScriptClient> clients = new LinkedHashMap<>();
    private final List<String> seen = new ArrayList<>();
    private long tokenMax;
    private long nonces;

    private ScriptRunner(ScriptTarget target) {
        this.target = target;
    }

    /** What is seen, one line for each step. */
    public static List<String> of(Script script, ScriptTarget target) {
        ScriptRunner scriptRunner = new ScriptRunner(target);
        for (ScriptStep step : script.steps()) {
            scriptRunner.seen.add(step + ": " + scriptRunner.act(step));
        }
        return scriptRunner.seen;
    }

    private String act(ScriptStep step) {
        if (step instanceof ScriptStep.Open open) {
            return open(open);
        }
        if (step instanceof ScriptStep.Claim claim) {
            return claim(actor(claim.who()));
        }
        if (step instanceof ScriptStep.AwaitGrant await) {
            return awaitGrant(actor(await.who()));
        }
        if (step instanceof ScriptStep.AwaitTakeover await) {
            return awaitTakeover(actor(await.who()), actor(await.from()), await.within());
        }
        if (step instanceof ScriptStep.AwaitLoss await) {
            return "told: " + until(PATIENCE_NANOS, actor(await.who())::isLost);
        }
        if (step instanceof ScriptStep.Holds
                || step instanceof ScriptStep.Renew
                || step instanceof ScriptStep.Release) {
            return ask(step);
        }
        if (step instanceof ScriptStep.Close close) {
            ScriptClient client = actor(close.who());
            client.renews = false;
            return answer(client, () -> client.session().close(), done -> "closed");
        }
        return happen(step);
    }

    private String ask(ScriptStep step) {
        if (step instanceof ScriptStep.Holds holds) {
            ScriptClient client = actor(holds.who());
            Term term = new Term(ELECTION, client.term().token(), client.term().nonce(), client.name);
            return answer(client, () -> client.session().holds(term), Object::toString);
        }
        if (step instanceof ScriptStep.Release release) {
            ScriptClient client = actor(release.who());
            return answer(client, () -> client.session().release(ELECTION, client.nonce()), Object::toString);
        }
        return renew(actor(((ScriptStep.Renew) step).who()));
    }

    /**
     * As the engine does it: a call that is lost on the way is made again while there is time, and so is one that came so late
     * that it is good for less than the TTL.
     */
    private String renew(ScriptClient client) {
        long byNanos = target.nanos() + client.session().ttl().toNanos();
        String whole = shown(new RenewReply.Renewed(client.session().ttl()));
        String told = answer(client, () -> client.session().renew(), ScriptRunner::shown);
        while (!told.equals(whole) && !told.equals(GONE) && target.nanos() - byNanos < 0) {
            target.pass();
            told = answer(client, () -> client.session().renew(), ScriptRunner::shown);
        }
        return told;
    }

    /** What is done to the store or by nobody. */
    private String happen(ScriptStep step) {
        if (step instanceof ScriptStep.Vanish vanish) {
            ScriptClient client = actor(vanish.who());
            client.renews = false;
            target.vanish(client.name);
        } else if (step instanceof ScriptStep.LetPass pass) {
            until(pass.time().toNanos(), () -> false);
        } else if (step instanceof ScriptStep.Revoke revoke) {
            ScriptClient client = actor(revoke.who());
            client.renews = false;
            target.revoke(client.session().id());
        } else if (step instanceof ScriptStep.RemoveElection) {
            target.removeElection();
        } else if (step instanceof ScriptStep.ChangeLeader) {
            long fromNanos = target.nanos();
            BooleanSupplier done = target.changeLeader();
            boolean changed = until(PATIENCE_NANOS, done);
            clients.values().forEach(client -> client.aliveNanos = Math.max(client.aliveNanos, fromNanos));
            return "another leads: " + changed;
        } else {
            throw new IllegalStateException("no such step: " + step);
        }
        return "done";
    }

    private String open(ScriptStep.Open open) {
        ScriptClient client = new ScriptClient(open.who());
        clients.put(client.name, client);
        long sentNanos = target.nanos();
        SessionRequest request = new SessionRequest(client.name, open.ttl());
        Backend backend = target.connect(client.name);
        return answer(client, () -> backend.open(request, client), opened -> {
            client.opened(opened, sentNanos);
            return "granted " + opened.ttl().toMillis() + " ms";
        });
    }

    private String claim(ScriptClient client) {
        client.claims(new Nonce(0x7e57, ++nonces));
        ClaimRequest request = new ClaimRequest(ELECTION, client.nonce(), 0, client.name, LeaderMetadata.EMPTY);
        return answer(
                client,
                () -> client.session().claim(request),
                reply -> reply instanceof ClaimReply.Granted granted
                        ? granted(client, granted)
                        : shown((ClaimReply.Waiting) reply));
    }

    private static String shown(ClaimReply.Waiting waiting) {
        return "waits behind " + waiting.holder().map(leader -> leader.node()).orElse("nobody")
                + (waiting.queued() ? ", in a queue" : "");
    }

    private static String shown(RenewReply reply) {
        return reply instanceof RenewReply.Renewed renewed
                ? "renewed for " + renewed.ttl().toMillis() + " ms"
                : GONE;
    }

    private String granted(ScriptClient client, ClaimReply.Granted grant) {
        boolean grows = grant.token().value() > tokenMax;
        boolean own = grant.nonce().equals(client.nonce());
        tokenMax = Math.max(tokenMax, grant.token().value());
        client.leads(grant);
        return "granted" + (own ? "" : " for another nonce") + (grows ? ", token grows" : ", token does NOT grow")
                + (grant.takeover() ? ", taken over" : ", left in order");
    }

    private String awaitGrant(ScriptClient client) {
        until(PATIENCE_NANOS, () -> client.pushed().isPresent());
        return client.pushed().map(grant -> granted(client, grant)).orElse("nothing is pushed");
    }

    private String awaitTakeover(ScriptClient client, ScriptClient from, Duration within) {
        long sinceNanos = from.aliveNanos;
        String grant = awaitGrant(client);
        long tookNanos = target.nanos() - sinceNanos;
        return grant + ", not before its time: "
                + (tookNanos >= from.session().ttl().toNanos()) + ", within the bound: "
                + (tookNanos <= within.toNanos());
    }

    private <T> String answer(ScriptClient client, Supplier<CompletionStage<T>> call, Function<T, String> shown) {
        CompletableFuture<T> answer = target.call(client.name, call);
        if (!until(PATIENCE_NANOS, answer::isDone)) {
            return "no answer";
        }
        return answer.handle((reply, failure) -> failure == null ? shown.apply(reply) : FAILS)
                .join();
    }

    /** Lets time pass until this is so, and everybody renews meanwhile who does. */
    private boolean until(long withinNanos, BooleanSupplier condition) {
        long byNanos = target.nanos() + withinNanos;
        while (!condition.getAsBoolean()) {
            if (target.nanos() - byNanos > 0) {
                return false;
            }
            clients.values().forEach(this::renewIfDue);
            target.pass();
        }
        return true;
    }

    private void renewIfDue(ScriptClient client) {
        long nowNanos = target.nanos();
        if (client.renews && nowNanos - client.renewAtNanos >= 0) {
            client.renewAtNanos = nowNanos + client.session().ttl().toNanos() / 4;
            client.renewal = target.call(client.name, () -> client.session().renew())
                    .thenAccept(reply -> {
                        if (reply instanceof RenewReply.Renewed) {
                            client.aliveNanos = Math.max(client.aliveNanos, nowNanos);
                        }
                    });
        }
    }

    private ScriptClient actor(String name) {
        return Optional.ofNullable(clients.get(name))
                .orElseThrow(() -> new IllegalArgumentException(name + " has no session yet"));
    }
}
