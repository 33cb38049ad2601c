// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static dev.tenure.internal.engine.Stage.DRAIN;
import static dev.tenure.internal.engine.Stage.GRANT;
import static dev.tenure.internal.engine.Stage.NONCE;
import static dev.tenure.internal.engine.Stage.NOW;
import static dev.tenure.internal.engine.Stage.SECOND;
import static dev.tenure.internal.engine.Stage.TERM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.Loss;
import dev.tenure.Standing;
import dev.tenure.internal.engine.ElectionState.AfterTerm;
import dev.tenure.internal.engine.ElectionState.BackOff;
import dev.tenure.internal.engine.ElectionState.ClaimAttempts;
import dev.tenure.internal.engine.ElectionState.Claiming;
import dev.tenure.internal.engine.ElectionState.Drain;
import dev.tenure.internal.engine.ElectionState.Draining;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.OutcomeUnknown;
import dev.tenure.internal.engine.ElectionState.PendingRelease;
import dev.tenure.internal.engine.ElectionState.RaisingFences;
import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.ReleasedEarly;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Retired;
import dev.tenure.internal.engine.ElectionState.Waiting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The table of {@link ElectionMachine}, cell by cell: every state times every event. A pair that a row does not name is
 * illegal and has to throw with state and event. A new state or event has no row or column here, and the first test says
 * so.
 */
class ElectionMachineTableTest {
    private static final Loss RESIGNED = new Loss.Resigned("deploy");
    private static final AfterTerm AGAIN = new AfterTerm.StandAgain(0);
    private static final AfterTerm RETIRE = new AfterTerm.Retire(new Loss.Closed());
    private static final ClaimAttempts NONE = ClaimAttempts.NONE;
    private static final ClaimAttempts UNSURE = ClaimAttempts.NONE.unknown(NONCE);
    private static final ClaimAttempts PLACED = ClaimAttempts.at(Optional.of(NONCE));
    private static final Standing STANDBY = new Standing.Standby();

    private static final Map<String, ElectionEvent> EVENTS = events();
    private static final Map<String, ElectionState> STATES = states();

    private static Map<String, ElectionEvent> events() {
        Map<String, ElectionEvent> events = new LinkedHashMap<>();
        events.put("SessionOpened", new ElectionEvent.SessionOpened());
        events.put("SessionLost", new ElectionEvent.SessionLost("s1", new Loss.SessionLost("evicted")));
        events.put("Tick", new ElectionEvent.Tick());
        events.put("Admitted", new ElectionEvent.Admitted());
        events.put("Hinted", new ElectionEvent.Hinted());
        events.put("Poll", new ElectionEvent.Poll());
        events.put("Granted", Stage.granted(42, NONCE, 41));
        events.put("GrantedLow", Stage.granted(42, NONCE, 42));
        events.put("MustWait", new ElectionEvent.MustWait(false));
        events.put("MustQueue", new ElectionEvent.MustWait(true));
        events.put("FailedNone", new ElectionEvent.ClaimFailed(false));
        events.put("FailedUnknown", new ElectionEvent.ClaimFailed(true));
        events.put("FencesRaised", new ElectionEvent.FencesRaised());
        events.put("FenceFailed", new ElectionEvent.FenceFailed("refused"));
        events.put("DutyEnded", new ElectionEvent.DutyEnded(new Loss.DutyFailed(new Exception("x"))));
        events.put("Closed", new ElectionEvent.EndWanted(new Loss.Closed()));
        events.put("Other", new ElectionEvent.EndWanted(RESIGNED));
        events.put("Released", new ElectionEvent.Released());
        events.put("ReleaseFailed", new ElectionEvent.ReleaseFailed());
        return events;
    }

    private static Map<String, ElectionState> states() {
        Map<String, ElectionState> states = new LinkedHashMap<>();
        states.put("BackOff", new BackOff(NOW + 1, NONE));
        states.put("BackOff/due", new BackOff(NOW, NONE));
        states.put("BackOff/unsure", new BackOff(NOW + 1, UNSURE));
        states.put("BackOff/placed", new BackOff(NOW + 1, PLACED));
        states.put("Ready", new Ready(NONE));
        states.put("Ready/placed", new Ready(PLACED));
        states.put("Ready/unsure", new Ready(UNSURE));
        states.put("Claiming", new Claiming(7, NONCE, NOW - SECOND, NONE, false));
        states.put("Claiming/late", new Claiming(7, NONCE, NOW - 2 * SECOND, NONE, false));
        states.put("Claiming/hinted", new Claiming(7, NONCE, NOW - SECOND, NONE, true));
        states.put("OutcomeUnknown", new OutcomeUnknown(NONCE, NOW + 1, UNSURE));
        states.put("OutcomeUnknown/placed", new OutcomeUnknown(NONCE, NOW + 1, PLACED.unknown(NONCE)));
        states.put("OutcomeUnknown/due", new OutcomeUnknown(NONCE, NOW, UNSURE));
        states.put("Waiting", new Waiting(Optional.empty()));
        states.put("Waiting/placed", new Waiting(Optional.of(NONCE)));
        states.put("RaisingFences", new RaisingFences(GRANT, 7, false, NOW, NOW + SECOND));
        states.put("RaisingFences/late", new RaisingFences(GRANT, 7, false, NOW - 9 * SECOND, NOW));
        states.put("RaisingFences/raised", new RaisingFences(GRANT, 7, true, NOW, NOW + SECOND));
        states.put("RaisingFences/standoff", new RaisingFences(GRANT, 7, false, NOW + 1, NOW + SECOND));
        states.put("Leading", new Leading(GRANT));
        states.put("Draining", draining(Drain.Stage.ASKED, NOW + 1));
        states.put("Draining/half", draining(Drain.Stage.ASKED, NOW));
        states.put("Draining/late", draining(Drain.Stage.INTERRUPTED, NOW - DRAIN / 2));
        states.put("Draining/overdue", draining(Drain.Stage.OVERDUE, NOW - DRAIN));
        states.put("ReleasedEarly", releasedEarly(Optional.of(new PendingRelease(7, NOW + 1))));
        states.put("ReleasedEarly/due", releasedEarly(Optional.of(new PendingRelease(7, NOW))));
        states.put("ReleasedEarly/let-go", releasedEarly(Optional.empty()));
        states.put("Releasing", new Releasing("s1", NONCE, STANDBY, new PendingRelease(7, NOW + 1), AGAIN));
        states.put("Releasing/due", new Releasing("s1", NONCE, STANDBY, new PendingRelease(7, NOW), AGAIN));
        states.put("Releasing/last", new Releasing("s1", NONCE, STANDBY, new PendingRelease(7, NOW + 1), RETIRE));
        states.put("Retired", new Retired(new Loss.Closed()));
        return states;
    }

    private static Draining draining(Drain.Stage stage, long interruptAtNanos) {
        return new Draining(GRANT, RESIGNED, AGAIN, new Drain(stage, interruptAtNanos, interruptAtNanos + DRAIN / 2));
    }

    private static ReleasedEarly releasedEarly(Optional<PendingRelease> release) {
        return new ReleasedEarly(GRANT, RESIGNED, AGAIN, release);
    }

    /** A row a state; event=next:effects, where "=" alone is this very state without effects. All else is illegal. */
    private static final String TABLE = """
            BackOff                 SessionOpened= SessionLost= Tick= Hinted= Poll=BackOff Closed=Retired:Retire Other=
            BackOff/due             SessionOpened=Ready:AskAdmission SessionLost= Tick=Ready:AskAdmission Hinted= Poll= \
                                    Closed=Retired:Retire Other=
            BackOff/unsure          SessionOpened= SessionLost=BackOff Tick= Hinted= Poll=BackOff \
                                    Closed=Releasing:SendRelease Other=
            BackOff/placed          SessionOpened= SessionLost=BackOff Tick= Hinted= Poll=BackOff \
                                    Closed=Releasing:SendRelease Other= \
                                    Granted=RaisingFences:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease
            Ready                   SessionOpened= SessionLost=BackOff Tick= Admitted=Claiming:SendClaim Hinted= Poll= \
                                    Closed=Retired:Retire Other=
            Ready/placed            SessionOpened= SessionLost=BackOff Tick= Admitted=Claiming:SendClaim Hinted= Poll= \
                                    Closed=Releasing:SendRelease Other= \
                                    Granted=RaisingFences:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease
            Ready/unsure            SessionOpened= SessionLost=BackOff Tick= Admitted=Claiming:SendClaim Hinted= Poll= \
                                    Closed=Releasing:SendRelease Other=
            Claiming                SessionLost=BackOff Tick= Hinted=Claiming Poll= Granted=RaisingFences:RaiseFences \
                                    GrantedLow=Releasing:ReportBelowFloor,SendRelease MustWait=Waiting MustQueue=Waiting \
                                    FailedNone=BackOff FailedUnknown=OutcomeUnknown Closed=Releasing:SendRelease Other=
            Claiming/late           SessionLost=BackOff Tick=OutcomeUnknown Hinted=Claiming Poll= Granted=RaisingFences:RaiseFences \
                                    GrantedLow=Releasing:ReportBelowFloor,SendRelease MustWait=Waiting MustQueue=Waiting \
                                    FailedNone=BackOff FailedUnknown=OutcomeUnknown Closed=Releasing:SendRelease Other=
            Claiming/hinted         SessionLost=BackOff Tick= Hinted= Poll= Granted=RaisingFences:RaiseFences \
                                    GrantedLow=Releasing:ReportBelowFloor,SendRelease MustWait=BackOff MustQueue=Waiting \
                                    FailedNone=BackOff FailedUnknown=OutcomeUnknown Closed=Releasing:SendRelease Other=
            OutcomeUnknown          SessionLost=BackOff Tick= Hinted= Poll= Closed=Releasing:SendRelease Other=
            OutcomeUnknown/placed   SessionLost=BackOff Tick= Hinted= Poll= Closed=Releasing:SendRelease Other= \
                                    Granted=RaisingFences:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease
            OutcomeUnknown/due      SessionLost=BackOff Tick=Ready:AskAdmission Hinted= Poll= \
                                    Closed=Releasing:SendRelease Other=
            Waiting                 SessionLost=BackOff Tick= Hinted=Ready:AskAdmission Poll=Ready:AskAdmission \
                                    Granted=RaisingFences:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease \
                                    Closed=Retired:Retire Other=
            Waiting/placed          SessionLost=BackOff Tick= Hinted=Ready:AskAdmission Poll=Ready:AskAdmission \
                                    Granted=RaisingFences:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease \
                                    Closed=Releasing:SendRelease Other=
            RaisingFences           SessionLost=BackOff:Abandon Tick= Hinted= Poll= Granted= GrantedLow= \
                                    FencesRaised=Leading:StartDuty FenceFailed=Releasing:Abandon,SendRelease \
                                    Closed=Releasing:Abandon,SendRelease Other=Releasing:Abandon,SendRelease
            RaisingFences/late      SessionLost=BackOff:Abandon Tick=Releasing:Abandon,SendRelease Hinted= Poll= \
                                    Granted= GrantedLow= FencesRaised=Leading:StartDuty \
                                    FenceFailed=Releasing:Abandon,SendRelease Closed=Releasing:Abandon,SendRelease \
                                    Other=Releasing:Abandon,SendRelease
            RaisingFences/raised    SessionLost=BackOff:Abandon Tick=Leading:StartDuty Hinted= Poll= Granted= GrantedLow= \
                                    FencesRaised=Leading:StartDuty FenceFailed=Releasing:Abandon,SendRelease \
                                    Closed=Releasing:Abandon,SendRelease Other=Releasing:Abandon,SendRelease
            RaisingFences/standoff  SessionLost=BackOff:Abandon Tick= Hinted= Poll= Granted= GrantedLow= \
                                    FencesRaised=RaisingFences FenceFailed=Releasing:Abandon,SendRelease \
                                    Closed=Releasing:Abandon,SendRelease Other=Releasing:Abandon,SendRelease
            Leading                 SessionLost=Draining:StopDuty Tick= Hinted= Poll= Granted= GrantedLow= \
                                    DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining:StopDuty Other=Draining:StopDuty
            Draining                SessionOpened= SessionLost= Tick= Hinted= Poll= \
                                    DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining Other=
            Draining/half           SessionOpened= SessionLost= Tick=Draining:InterruptDuty Hinted= Poll= \
                                    DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining Other=
            Draining/late           SessionOpened= SessionLost= Tick=Draining:ReportOverdue Hinted= Poll= \
                                    DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining Other=
            Draining/overdue        SessionOpened= SessionLost= Tick= Hinted= Poll= \
                                    DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining Other=
            ReleasedEarly           SessionOpened= SessionLost=ReleasedEarly Tick= Hinted= Poll= \
                                    DutyEnded=Releasing:EndTerm,SendRelease Closed=ReleasedEarly Other= Released=ReleasedEarly \
                                    ReleaseFailed=ReleasedEarly
            ReleasedEarly/due       SessionOpened= SessionLost=ReleasedEarly Tick=ReleasedEarly:SendRelease Hinted= Poll= \
                                    DutyEnded=Releasing:EndTerm,SendRelease Closed=ReleasedEarly Other= Released=ReleasedEarly \
                                    ReleaseFailed=ReleasedEarly
            ReleasedEarly/let-go    SessionOpened= SessionLost= Tick= Hinted= Poll= \
                                    DutyEnded=Releasing:EndTerm,SendRelease Closed=ReleasedEarly Other= Released= \
                                    ReleaseFailed=ReleasedEarly
            Releasing               SessionLost=BackOff Tick= Hinted= Poll= Closed=Releasing Other= Released=BackOff \
                                    ReleaseFailed=Releasing
            Releasing/due           SessionLost=BackOff Tick=Releasing:SendRelease Hinted= Poll= Closed=Releasing Other= \
                                    Released=BackOff ReleaseFailed=Releasing
            Releasing/last          SessionLost=Retired:Retire Tick= Hinted= Poll= Closed= Other= Released=Retired:Retire \
                                    ReleaseFailed=Releasing
            Retired                 SessionOpened= SessionLost= Tick= Hinted= Poll= Closed= Other=
            """;

    /** state → event → what the row says. */
    private static Map<String, Map<String, String>> table() {
        Map<String, Map<String, String>> table = new LinkedHashMap<>();
        TABLE.lines().forEach(line -> {
            String[] words = line.trim().split(" +");
            Map<String, String> cells = new HashMap<>();
            for (int i = 1; i < words.length; i++) {
                int equals = words[i].indexOf('=');
                cells.put(words[i].substring(0, equals), words[i].substring(equals + 1));
            }
            table.put(words[0], cells);
        });
        return table;
    }

    @Test
    void every_state_has_its_row_and_every_event_its_column() {
        assertThat(table().keySet()).isEqualTo(STATES.keySet());
        assertThat(namesOf(STATES.values())).isEqualTo(permitted(ElectionState.class));
        assertThat(namesOf(EVENTS.values())).isEqualTo(permitted(ElectionEvent.class));
        table().forEach((state, cells) -> assertThat(EVENTS.keySet()).as(state).containsAll(cells.keySet()));
    }

    private static TreeSet<String> namesOf(Iterable<?> values) {
        TreeSet<String> names = new TreeSet<>();
        values.forEach(value -> names.add(value.getClass().getSimpleName()));
        return names;
    }

    private static TreeSet<String> permitted(Class<?> sealed) {
        TreeSet<String> names = new TreeSet<>();
        for (Class<?> each : sealed.getPermittedSubclasses()) {
            names.add(each.getSimpleName());
        }
        return names;
    }

    @TestFactory
    List<DynamicTest> each_pair_leads_where_the_table_says() {
        List<DynamicTest> tests = new ArrayList<>();
        table().forEach((state, cells) -> EVENTS.keySet()
                .forEach(event -> tests.add(DynamicTest.dynamicTest(
                        state + " on " + event, () -> check(state, event, Optional.ofNullable(cells.get(event)))))));
        return tests;
    }

    private static void check(String stateName, String eventName, Optional<String> expected) {
        ElectionState state = STATES.get(stateName);
        ElectionEvent event = EVENTS.get(eventName);
        // A lost session is gone already when its elections hear of it.
        StepContext context = event instanceof ElectionEvent.SessionLost ? Stage.noSession(NOW) : Stage.context();
        ElectionMachine machine = new ElectionMachine(Stage.ELECTION, "node-1", Stage.rules(), new Numbers());

        if (expected.isEmpty()) {
            assertThatThrownBy(() -> machine.on(state, event, context))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(state.toString())
                    .hasMessageContaining(event.toString());
            return;
        }
        Transition<ElectionState, ElectionEffect> transition = machine.on(state, event, context);

        if (expected.get().isEmpty()) {
            assertThat(transition.state()).isEqualTo(state);
            assertThat(transition.effects()).isEmpty();
        } else {
            assertThat(summary(transition)).isEqualTo(expected.get());
            assertThat(transition.state()).isNotEqualTo(state);
        }
    }

    private static String summary(Transition<ElectionState, ElectionEffect> transition) {
        List<String> effects = new ArrayList<>();
        transition.effects().forEach(effect -> effects.add(effect.getClass().getSimpleName()));
        String state = transition.state().getClass().getSimpleName();
        return effects.isEmpty() ? state : state + ":" + String.join(",", effects);
    }

    @Test
    void what_users_see_follows_from_each_state() {
        for (ElectionState state : STATES.values()) {
            Standing shown = state.standing();
            if (state instanceof Leading) {
                assertThat(shown).isEqualTo(new Standing.Leading(TERM));
            } else if (state instanceof Draining || state instanceof ReleasedEarly) {
                assertThat(shown).isEqualTo(new Standing.Draining(TERM, RESIGNED));
            } else if (state instanceof Retired) {
                assertThat(shown).isEqualTo(new Standing.Retired(new Loss.Closed()));
            } else {
                assertThat(shown).isEqualTo(new Standing.Standby());
            }
        }
    }

    @Test
    void close_ends_in_retired_from_every_state() {
        for (Map.Entry<String, ElectionState> each : STATES.entrySet()) {
            ElectionMachine machine = new ElectionMachine(Stage.ELECTION, "node-1", Stage.rules(), new Numbers());
            Transition<ElectionState, ElectionEffect> transition =
                    machine.on(each.getValue(), EVENTS.get("Closed"), Stage.context());

            for (int steps = 0; steps < 5 && !(transition.state() instanceof Retired); steps++) {
                boolean duty = transition.state() instanceof Draining || transition.state() instanceof ReleasedEarly;
                ElectionEvent next =
                        duty ? new ElectionEvent.DutyEnded(new Loss.Completed()) : new ElectionEvent.Released();
                transition = machine.on(transition.state(), next, Stage.context());
            }

            assertThat(transition.state()).as(each.getKey()).isEqualTo(new Retired(new Loss.Closed()));
        }
    }
}
