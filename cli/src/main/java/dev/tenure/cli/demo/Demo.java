package dev.tenure.cli.demo;

import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Failure;
import dev.tenure.cli.demo.DemoVerb.Narration;
import dev.tenure.cli.demo.Stage.Actor;
import dev.tenure.spi.DurationText;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The play: what the director does, and what it waits for before it does the next thing. */
final class Demo {
    private static final List<String> NAMES = List.of("anna", "ben", "cleo");
    private static final long SCENE_SECONDS_MAX = 60;

    private final Stage stage;
    private final Narration narration;
    private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>();
    private final List<Actor> actors = new CopyOnWriteArrayList<>();
    /** Who is to be stopped when it next looks into the ledger, that is, in the middle of a write. */
    private volatile @Nullable Actor toBeStopped;

    private int standing;
    private int accepted;
    private int refused;

    Demo(Stage stage, Narration narration) {
        this.stage = stage;
        this.narration = narration;
    }

    /** One thing that was reported: by a candidate ({@code what} and {@code token}), or by the ledger. */
    private record Happening(Actor actor, String what, long token, String rest) {
        boolean is(Actor who, String deed) {
            return actor.equals(who) && what.equals(deed);
        }
    }

    void play() throws IOException, InterruptedException {
        try (Ledger ledger = new Ledger(this::onDeed)) {
            Actor first = enter(ledger);
            Actor second = crash(first);
            Actor third = pause(second);
            wake(second, third);
            narration.blank();
            narration.tell(accepted + " entries accepted, " + refused
                    + " refused, not one from a leader whose time had passed.");
        }
    }

    private Actor enter(Ledger ledger) throws IOException, InterruptedException {
        narration.tell("Three candidates, each a process of its own, stand in one election (TTL "
                + DurationText.format(DemoCandidate.TTL) + ").");
        for (String name : NAMES) {
            actors.add(stage.enter(actors.size(), name, ledger.port()));
        }
        actors.forEach(actor -> actor.listen(this::onReport));
        Actor leader = await(happening -> happening.what.equals("elected")).actor;
        await(happening -> happening.is(leader, "wrote"), 3);
        // All three are to be there when the leader dies; a slow machine may still be starting them.
        await(happening -> standing == NAMES.size());
        return leader;
    }

    private Actor crash(Actor leader) throws InterruptedException {
        narration.blank();
        narration.tell("A crash: kill -9 " + leader.name() + ". It cannot say goodbye.");
        double killed = narration.seconds();
        leader.process().destroyForcibly();
        Actor next = await(happening -> happening.what.equals("elected")).actor;
        String later = String.format(Locale.ROOT, "%.1f s later", narration.seconds() - killed);
        narration.tell(
                next.name() + " took over " + later + ", when " + leader.name() + " had been silent for its TTL.");
        await(happening -> happening.is(next, "wrote"), 3);
        return next;
    }

    private Actor pause(Actor leader) throws InterruptedException {
        narration.blank();
        narration.tell("A pause: kill -STOP " + leader.name()
                + " in the middle of a write, after it has checked that it leads.");
        toBeStopped = leader;
        Actor next = await(happening -> happening.what.equals("elected") && !happening.actor.equals(leader)).actor;
        await(happening -> happening.is(next, "wrote"), 3);
        return next;
    }

    private void wake(Actor zombie, Actor leader) throws InterruptedException {
        narration.blank();
        narration.tell("kill -CONT " + zombie.name() + ". It goes on where it was stopped: with its write.");
        zombie.signal("CONT");
        await(happening -> happening.is(zombie, "refused"));
        await(happening -> happening.is(zombie, "lost"));
        await(happening -> happening.is(leader, "wrote"), 2);
    }

    private void await(Predicate<Happening> wanted, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            await(wanted);
        }
    }

    private Happening await(Predicate<Happening> wanted) throws InterruptedException {
        long byNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SCENE_SECONDS_MAX);
        while (true) {
            Happening next = happenings.poll(byNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new Failure(ExitCode.UNAVAILABLE, "the demo is stuck: is this machine very busy?");
            }
            narrate(next);
            if (wanted.test(next)) {
                return next;
            }
        }
    }

    private void narrate(Happening happening) {
        switch (happening.what) {
            case "standing" -> standing++;
            case "elected" -> narration.tell(happening.actor, "leads with token " + happening.token);
            case "lost" ->
                narration.tell(happening.actor, "knows that it has lost: " + happening.rest + "; stands by again");
            case "wrote" -> {
                accepted++;
                narration.ledger("accepts entry " + accepted + " from " + happening.actor.name());
            }
            case "refused" -> {
                refused++;
                narration.refusal("REFUSES the entry of " + happening.actor.name() + ": token " + happening.token
                        + " is older than " + happening.rest);
            }
            default -> throw new IllegalStateException("unknown happening " + happening);
        }
    }

    /** A line from a candidate. */
    private void onReport(Actor actor, String line) {
        String[] words = line.split(" ", 2);
        boolean elected = words[0].equals("elected");
        happenings.add(new Happening(
                actor, words[0], elected ? Long.parseLong(words[1]) : 0, words.length > 1 ? words[1] : ""));
    }

    /** On the ledger's thread, before it answers. */
    private void onDeed(Ledger.Deed deed) {
        Actor actor = actors.stream()
                .filter(one -> one.name().equals(deed.name()))
                .findFirst()
                .orElseThrow();
        if (deed.verb().equals("read") && actor.equals(toBeStopped)) {
            toBeStopped = null;
            try {
                actor.signal("STOP");
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        } else if (deed.verb().equals("write")) {
            happenings.add(new Happening(
                    actor, deed.accepted() ? "wrote" : "refused", deed.token(), Long.toString(deed.seen())));
        }
    }
}
