// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.script;

import dev.tenure.simulator.script.ScriptStep.AwaitGrant;
import dev.tenure.simulator.script.ScriptStep.AwaitLoss;
import dev.tenure.simulator.script.ScriptStep.AwaitTakeover;
import dev.tenure.simulator.script.ScriptStep.ChangeLeader;
import dev.tenure.simulator.script.ScriptStep.Claim;
import dev.tenure.simulator.script.ScriptStep.Close;
import dev.tenure.simulator.script.ScriptStep.Holds;
import dev.tenure.simulator.script.ScriptStep.LetPass;
import dev.tenure.simulator.script.ScriptStep.Open;
import dev.tenure.simulator.script.ScriptStep.Release;
import dev.tenure.simulator.script.ScriptStep.RemoveElection;
import dev.tenure.simulator.script.ScriptStep.Renew;
import dev.tenure.simulator.script.ScriptStep.Revoke;
import dev.tenure.simulator.script.ScriptStep.Vanish;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What happens, line by line. */
public record Script(String name, List<ScriptStep> steps) {
    private static final Duration SLACK = Duration.ofSeconds(15);

    public Script {
        steps = List.copyOf(steps);
    }

    private static Script of(String name, ScriptStep... steps) {
        return new Script(name, List.of(steps));
    }

    /** What the store makes of the TTLs that it is asked for. */
    public static Script lifetimes(Duration... asked) {
        List<ScriptStep> steps = new ArrayList<>();
        for (Duration ttl : asked) {
            String who = "asks for " + ttl.toMillis() + " ms";
            steps.addAll(List.of(new Open(who, ttl), new Close(who)));
        }
        return new Script("lifetimes", steps);
    }

    /** A queue of three: in order, and nothing is given up twice. */
    public static Script succession(Duration ttl) {
        return of(
                "succession",
                new Open("a", ttl),
                new Open("b", ttl),
                new Open("c", ttl),
                new Claim("a"),
                new Claim("b"),
                new Claim("c"),
                new Holds("a"),
                new Release("a"),
                new AwaitGrant("b"),
                new Holds("a"),
                new Release("a"),
                new Renew("a"),
                new Claim("a"),
                new Close("b"),
                new AwaitGrant("c"),
                new Release("c"),
                new AwaitGrant("a"),
                new Release("c"),
                new Release("a"),
                new Claim("c"));
    }

    /** The holder is gone: its time passes, and no more than its time and the bound. */
    public static Script expiry(Duration ttl) {
        return of(
                "expiry",
                new Open("a", ttl),
                new Open("b", ttl),
                new Claim("a"),
                new Claim("b"),
                new Vanish("a"),
                new AwaitTakeover("b", "a", ttl.plus(SLACK)),
                new Holds("b"));
    }

    /** The session of the holder is ended before its time. */
    public static Script revocation(Duration ttl) {
        return of(
                "revocation",
                new Open("a", ttl),
                new Open("b", ttl),
                new Claim("a"),
                new Claim("b"),
                new Revoke("a"),
                new AwaitLoss("a"),
                new AwaitGrant("b"),
                new Renew("a"),
                new Holds("a"),
                new Release("a"),
                new Holds("b"));
    }

    /** Another server leads: sessions, claims and the queue stay, and tokens grow. */
    public static Script leaderChange(Duration ttl) {
        return of(
                "leader change",
                new Open("a", ttl),
                new Open("b", ttl),
                new Claim("a"),
                new Claim("b"),
                new ChangeLeader(),
                new Renew("a"),
                new Holds("a"),
                new Open("c", ttl),
                new Claim("c"),
                new Release("a"),
                new AwaitGrant("b"),
                new Release("b"),
                new AwaitGrant("c"));
    }

    /** Another server leads after the holder has gone: the holder's time begins anew. */
    public static Script refresh(Duration ttl) {
        return of(
                "refresh",
                new Open("a", ttl),
                new Open("b", ttl),
                new Claim("a"),
                new Claim("b"),
                new Vanish("a"),
                new LetPass(ttl.dividedBy(2)),
                new ChangeLeader(),
                new AwaitTakeover("b", "a", ttl.multipliedBy(2).plus(SLACK)));
    }

    /** The place of an election vanishes while it is empty: tokens grow all the same. */
    public static Script emptied(Duration ttl) {
        return of(
                "emptied",
                new Open("a", ttl),
                new Open("b", ttl),
                new Claim("a"),
                new Claim("b"),
                new Release("a"),
                new AwaitGrant("b"),
                new Release("b"),
                new RemoveElection(),
                new Claim("a"),
                new Claim("b"),
                new Release("a"),
                new AwaitGrant("b"));
    }

    @Override
    public String toString() {
        return name;
    }
}
