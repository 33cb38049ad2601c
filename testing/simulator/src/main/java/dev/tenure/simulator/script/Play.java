package dev.tenure.simulator.script;

import dev.tenure.Card;
import dev.tenure.ElectionName;
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
public final class Play {
    public static final ElectionName ELECTION = ElectionName.of("x");
    private static final String GONE = "gone";
    private static final String FAILS = "fails";
    private static final long PATIENCE_NANOS = Duration.ofSeconds(40).toNanos();

    private final Stage stage;
    private final Map<String, Actor> actors = new LinkedHashMap<>();
    private final List<String> seen = new ArrayList<>();
    private long tokenMax;
    private long nonces;

    private Play(Stage stage) {
        this.stage = stage;
    }

    /** What is seen, one line for each step. */
    public static List<String> of(Script script, Stage stage) {
        Play play = new Play(stage);
        for (Step step : script.steps()) {
            play.seen.add(step + ": " + play.act(step));
        }
        return play.seen;
    }

    private String act(Step step) {
        if (step instanceof Step.Open open) {
            return open(open);
        }
        if (step instanceof Step.Claim claim) {
            return claim(actor(claim.who()));
        }
        if (step instanceof Step.AwaitGrant await) {
            return awaitGrant(actor(await.who()));
        }
        if (step instanceof Step.AwaitTakeover await) {
            return awaitTakeover(actor(await.who()), actor(await.from()), await.within());
        }
        if (step instanceof Step.AwaitLoss await) {
            return "told: " + until(PATIENCE_NANOS, actor(await.who())::isLost);
        }
        if (step instanceof Step.Holds || step instanceof Step.Renew || step instanceof Step.Release) {
            return ask(step);
        }
        if (step instanceof Step.Close close) {
            Actor actor = actor(close.who());
            actor.renews = false;
            return answer(actor, () -> actor.session().close(), done -> "closed");
        }
        return happen(step);
    }

    private String ask(Step step) {
        if (step instanceof Step.Holds holds) {
            Actor actor = actor(holds.who());
            Term term = new Term(ELECTION, actor.term().token(), actor.term().nonce(), actor.name);
            return answer(actor, () -> actor.session().holds(term), Object::toString);
        }
        if (step instanceof Step.Release release) {
            Actor actor = actor(release.who());
            return answer(actor, () -> actor.session().release(ELECTION, actor.nonce()), Object::toString);
        }
        return renew(actor(((Step.Renew) step).who()));
    }

    /**
     * As the engine does it: a call that is lost on the way is made again while there is time, and so is one that came so late
     * that it is good for less than the TTL.
     */
    private String renew(Actor actor) {
        long byNanos = stage.nanos() + actor.session().ttl().toNanos();
        String whole = shown(new RenewReply.Renewed(actor.session().ttl()));
        String told = answer(actor, () -> actor.session().renew(), Play::shown);
        while (!told.equals(whole) && !told.equals(GONE) && stage.nanos() - byNanos < 0) {
            stage.pass();
            told = answer(actor, () -> actor.session().renew(), Play::shown);
        }
        return told;
    }

    /** What is done to the store or by nobody. */
    private String happen(Step step) {
        if (step instanceof Step.Vanish vanish) {
            Actor actor = actor(vanish.who());
            actor.renews = false;
            stage.vanish(actor.name);
        } else if (step instanceof Step.LetPass pass) {
            until(pass.time().toNanos(), () -> false);
        } else if (step instanceof Step.Revoke revoke) {
            Actor actor = actor(revoke.who());
            actor.renews = false;
            stage.revoke(actor.session().id());
        } else if (step instanceof Step.RemoveElection) {
            stage.removeElection();
        } else if (step instanceof Step.ChangeLeader) {
            long fromNanos = stage.nanos();
            BooleanSupplier done = stage.changeLeader();
            boolean changed = until(PATIENCE_NANOS, done);
            actors.values().forEach(actor -> actor.aliveNanos = Math.max(actor.aliveNanos, fromNanos));
            return "another leads: " + changed;
        } else {
            throw new IllegalStateException("no such step: " + step);
        }
        return "done";
    }

    private String open(Step.Open open) {
        Actor actor = new Actor(open.who());
        actors.put(actor.name, actor);
        long sentNanos = stage.nanos();
        SessionRequest request = new SessionRequest(actor.name, open.ttl());
        Backend backend = stage.connect(actor.name);
        return answer(actor, () -> backend.open(request, actor), opened -> {
            actor.opened(opened, sentNanos);
            return "granted " + opened.ttl().toMillis() + " ms";
        });
    }

    private String claim(Actor actor) {
        actor.claims(new Nonce(0x7e57, ++nonces));
        ClaimRequest request = new ClaimRequest(ELECTION, actor.nonce(), 0, actor.name, Card.EMPTY);
        return answer(
                actor,
                () -> actor.session().claim(request),
                reply -> reply instanceof ClaimReply.Granted granted
                        ? granted(actor, granted)
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

    private String granted(Actor actor, ClaimReply.Granted grant) {
        boolean grows = grant.token().value() > tokenMax;
        boolean own = grant.nonce().equals(actor.nonce());
        tokenMax = Math.max(tokenMax, grant.token().value());
        actor.leads(grant);
        return "granted" + (own ? "" : " for another nonce") + (grows ? ", token grows" : ", token does NOT grow")
                + (grant.takeover() ? ", taken over" : ", left in order");
    }

    private String awaitGrant(Actor actor) {
        until(PATIENCE_NANOS, () -> actor.pushed().isPresent());
        return actor.pushed().map(grant -> granted(actor, grant)).orElse("nothing is pushed");
    }

    private String awaitTakeover(Actor actor, Actor from, Duration within) {
        long sinceNanos = from.aliveNanos;
        String grant = awaitGrant(actor);
        long tookNanos = stage.nanos() - sinceNanos;
        return grant + ", not before its time: "
                + (tookNanos >= from.session().ttl().toNanos()) + ", within the bound: "
                + (tookNanos <= within.toNanos());
    }

    private <T> String answer(Actor actor, Supplier<CompletionStage<T>> call, Function<T, String> shown) {
        CompletableFuture<T> answer = stage.call(actor.name, call);
        if (!until(PATIENCE_NANOS, answer::isDone)) {
            return "no answer";
        }
        return answer.handle((reply, failure) -> failure == null ? shown.apply(reply) : FAILS)
                .join();
    }

    /** Lets time pass until this is so, and everybody renews meanwhile who does. */
    private boolean until(long withinNanos, BooleanSupplier condition) {
        long byNanos = stage.nanos() + withinNanos;
        while (!condition.getAsBoolean()) {
            if (stage.nanos() - byNanos > 0) {
                return false;
            }
            actors.values().forEach(this::renewIfDue);
            stage.pass();
        }
        return true;
    }

    private void renewIfDue(Actor actor) {
        long nowNanos = stage.nanos();
        if (actor.renews && nowNanos - actor.renewAtNanos >= 0) {
            actor.renewAtNanos = nowNanos + actor.session().ttl().toNanos() / 4;
            actor.renewal = stage.call(actor.name, () -> actor.session().renew())
                    .thenAccept(reply -> {
                        if (reply instanceof RenewReply.Renewed) {
                            actor.aliveNanos = Math.max(actor.aliveNanos, nowNanos);
                        }
                    });
        }
    }

    private Actor actor(String name) {
        return Optional.ofNullable(actors.get(name))
                .orElseThrow(() -> new IllegalArgumentException(name + " has no session yet"));
    }
}
