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
import dev.tenure.internal.engine.ElectionState.Claiming;
import dev.tenure.internal.engine.ElectionState.Drain;
import dev.tenure.internal.engine.ElectionState.Draining;
import dev.tenure.internal.engine.ElectionState.Forsaken;
import dev.tenure.internal.engine.ElectionState.Leading;
import dev.tenure.internal.engine.ElectionState.Raising;
import dev.tenure.internal.engine.ElectionState.Ready;
import dev.tenure.internal.engine.ElectionState.Releasing;
import dev.tenure.internal.engine.ElectionState.Resting;
import dev.tenure.internal.engine.ElectionState.Retired;
import dev.tenure.internal.engine.ElectionState.Sending;
import dev.tenure.internal.engine.ElectionState.Then;
import dev.tenure.internal.engine.ElectionState.Tries;
import dev.tenure.internal.engine.ElectionState.Unsettled;
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
    private static final Then AGAIN = new Then.StandAgain(0);
    private static final Then RETIRE = new Then.Retire(new Loss.Closed());
    private static final Tries NONE = Tries.NONE;
    private static final Tries UNSURE = Tries.NONE.unknown(NONCE);
    private static final Tries PLACED = Tries.at(Optional.of(NONCE));
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
        states.put("Resting", new Resting(NOW + 1, NONE));
        states.put("Resting/due", new Resting(NOW, NONE));
        states.put("Resting/unsure", new Resting(NOW + 1, UNSURE));
        states.put("Resting/placed", new Resting(NOW + 1, PLACED));
        states.put("Ready", new Ready(NONE));
        states.put("Ready/placed", new Ready(PLACED));
        states.put("Ready/unsure", new Ready(UNSURE));
        states.put("Claiming", new Claiming(7, NONCE, NOW - SECOND, NONE, false));
        states.put("Claiming/late", new Claiming(7, NONCE, NOW - 2 * SECOND, NONE, false));
        states.put("Claiming/hinted", new Claiming(7, NONCE, NOW - SECOND, NONE, true));
        states.put("Unsettled", new Unsettled(NONCE, NOW + 1, UNSURE));
        states.put("Unsettled/placed", new Unsettled(NONCE, NOW + 1, PLACED.unknown(NONCE)));
        states.put("Unsettled/due", new Unsettled(NONCE, NOW, UNSURE));
        states.put("Waiting", new Waiting(Optional.empty()));
        states.put("Waiting/placed", new Waiting(Optional.of(NONCE)));
        states.put("Raising", new Raising(GRANT, 7, false, NOW, NOW + SECOND));
        states.put("Raising/late", new Raising(GRANT, 7, false, NOW - 9 * SECOND, NOW));
        states.put("Raising/raised", new Raising(GRANT, 7, true, NOW, NOW + SECOND));
        states.put("Raising/standoff", new Raising(GRANT, 7, false, NOW + 1, NOW + SECOND));
        states.put("Leading", new Leading(GRANT));
        states.put("Draining", draining(Drain.Stage.ASKED, NOW + 1));
        states.put("Draining/half", draining(Drain.Stage.ASKED, NOW));
        states.put("Draining/late", draining(Drain.Stage.INTERRUPTED, NOW - DRAIN / 2));
        states.put("Draining/overdue", draining(Drain.Stage.OVERDUE, NOW - DRAIN));
        states.put("Forsaken", forsaken(Optional.of(new Sending(7, NOW + 1))));
        states.put("Forsaken/due", forsaken(Optional.of(new Sending(7, NOW))));
        states.put("Forsaken/let-go", forsaken(Optional.empty()));
        states.put("Releasing", new Releasing("s1", NONCE, STANDBY, new Sending(7, NOW + 1), AGAIN));
        states.put("Releasing/due", new Releasing("s1", NONCE, STANDBY, new Sending(7, NOW), AGAIN));
        states.put("Releasing/last", new Releasing("s1", NONCE, STANDBY, new Sending(7, NOW + 1), RETIRE));
        states.put("Retired", new Retired(new Loss.Closed()));
        return states;
    }

    private static Draining draining(Drain.Stage stage, long interruptAtNanos) {
        return new Draining(GRANT, RESIGNED, AGAIN, new Drain(stage, interruptAtNanos, interruptAtNanos + DRAIN / 2));
    }

    private static Forsaken forsaken(Optional<Sending> sending) {
        return new Forsaken(GRANT, RESIGNED, AGAIN, sending);
    }

    /** A row a state; event=next:effects, where "=" alone is this very state without effects. All else is illegal. */
    private static final String TABLE = """
            Resting          SessionOpened= SessionLost= Tick= Hinted= Poll= Closed=Retired:Retire Other=
            Resting/due      SessionOpened=Ready:AskAdmission SessionLost= Tick=Ready:AskAdmission Hinted= Poll= \
                             Closed=Retired:Retire Other=
            Resting/unsure   SessionOpened= SessionLost=Resting Tick= Hinted= Poll= Closed=Releasing:SendRelease Other=
            Resting/placed   SessionOpened= SessionLost=Resting Tick= Hinted= Poll= Closed=Releasing:SendRelease Other= \
                             Granted=Raising:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease
            Ready            SessionOpened= SessionLost=Resting Tick= Admitted=Claiming:SendClaim Hinted= Poll= \
                             Closed=Retired:Retire Other=
            Ready/placed     SessionOpened= SessionLost=Resting Tick= Admitted=Claiming:SendClaim Hinted= Poll= \
                             Closed=Releasing:SendRelease Other= \
                             Granted=Raising:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease
            Ready/unsure     SessionOpened= SessionLost=Resting Tick= Admitted=Claiming:SendClaim Hinted= Poll= \
                             Closed=Releasing:SendRelease Other=
            Claiming         SessionLost=Resting Tick= Hinted=Claiming Poll= Granted=Raising:RaiseFences \
                             GrantedLow=Releasing:ReportBelowFloor,SendRelease MustWait=Waiting MustQueue=Waiting \
                             FailedNone=Resting FailedUnknown=Unsettled Closed=Releasing:SendRelease Other=
            Claiming/late    SessionLost=Resting Tick=Unsettled Hinted=Claiming Poll= Granted=Raising:RaiseFences \
                             GrantedLow=Releasing:ReportBelowFloor,SendRelease MustWait=Waiting MustQueue=Waiting \
                             FailedNone=Resting FailedUnknown=Unsettled Closed=Releasing:SendRelease Other=
            Claiming/hinted  SessionLost=Resting Tick= Hinted= Poll= Granted=Raising:RaiseFences \
                             GrantedLow=Releasing:ReportBelowFloor,SendRelease MustWait=Resting MustQueue=Waiting \
                             FailedNone=Resting FailedUnknown=Unsettled Closed=Releasing:SendRelease Other=
            Unsettled        SessionLost=Resting Tick= Hinted= Poll= Closed=Releasing:SendRelease Other=
            Unsettled/placed SessionLost=Resting Tick= Hinted= Poll= Closed=Releasing:SendRelease Other= \
                             Granted=Raising:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease
            Unsettled/due    SessionLost=Resting Tick=Ready:AskAdmission Hinted= Poll= \
                             Closed=Releasing:SendRelease Other=
            Waiting          SessionLost=Resting Tick= Hinted=Ready:AskAdmission Poll=Ready:AskAdmission \
                             Granted=Raising:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease \
                             Closed=Retired:Retire Other=
            Waiting/placed   SessionLost=Resting Tick= Hinted=Ready:AskAdmission Poll=Ready:AskAdmission \
                             Granted=Raising:RaiseFences GrantedLow=Releasing:ReportBelowFloor,SendRelease \
                             Closed=Releasing:SendRelease Other=
            Raising          SessionLost=Resting:Abandon Tick= Hinted= Poll= Granted= GrantedLow= \
                             FencesRaised=Leading:StartDuty FenceFailed=Releasing:Abandon,SendRelease \
                             Closed=Releasing:Abandon,SendRelease Other=Releasing:Abandon,SendRelease
            Raising/late     SessionLost=Resting:Abandon Tick=Releasing:Abandon,SendRelease Hinted= Poll= \
                             Granted= GrantedLow= FencesRaised=Leading:StartDuty \
                             FenceFailed=Releasing:Abandon,SendRelease Closed=Releasing:Abandon,SendRelease \
                             Other=Releasing:Abandon,SendRelease
            Raising/raised   SessionLost=Resting:Abandon Tick=Leading:StartDuty Hinted= Poll= Granted= GrantedLow= \
                             FencesRaised=Leading:StartDuty FenceFailed=Releasing:Abandon,SendRelease \
                             Closed=Releasing:Abandon,SendRelease Other=Releasing:Abandon,SendRelease
            Raising/standoff SessionLost=Resting:Abandon Tick= Hinted= Poll= Granted= GrantedLow= \
                             FencesRaised=Raising FenceFailed=Releasing:Abandon,SendRelease \
                             Closed=Releasing:Abandon,SendRelease Other=Releasing:Abandon,SendRelease
            Leading          SessionLost=Draining:StopDuty Tick= Hinted= Poll= Granted= GrantedLow= \
                             DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining:StopDuty Other=Draining:StopDuty
            Draining         SessionOpened= SessionLost= Tick= Hinted= Poll= \
                             DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining Other=
            Draining/half    SessionOpened= SessionLost= Tick=Draining:InterruptDuty Hinted= Poll= \
                             DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining Other=
            Draining/late    SessionOpened= SessionLost= Tick=Draining:ShoutOverdue Hinted= Poll= \
                             DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining Other=
            Draining/overdue SessionOpened= SessionLost= Tick= Hinted= Poll= \
                             DutyEnded=Releasing:EndTerm,SendRelease Closed=Draining Other=
            Forsaken         SessionOpened= SessionLost=Forsaken Tick= Hinted= Poll= \
                             DutyEnded=Releasing:EndTerm,SendRelease Closed=Forsaken Other= Released=Forsaken \
                             ReleaseFailed=Forsaken
            Forsaken/due     SessionOpened= SessionLost=Forsaken Tick=Forsaken:SendRelease Hinted= Poll= \
                             DutyEnded=Releasing:EndTerm,SendRelease Closed=Forsaken Other= Released=Forsaken \
                             ReleaseFailed=Forsaken
            Forsaken/let-go  SessionOpened= SessionLost= Tick= Hinted= Poll= \
                             DutyEnded=Releasing:EndTerm,SendRelease Closed=Forsaken Other= Released= \
                             ReleaseFailed=Forsaken
            Releasing        SessionLost=Resting Tick= Hinted= Poll= Closed=Releasing Other= Released=Resting \
                             ReleaseFailed=Releasing
            Releasing/due    SessionLost=Resting Tick=Releasing:SendRelease Hinted= Poll= Closed=Releasing Other= \
                             Released=Resting ReleaseFailed=Releasing
            Releasing/last   SessionLost=Retired:Retire Tick= Hinted= Poll= Closed= Other= Released=Retired:Retire \
                             ReleaseFailed=Releasing
            Retired          SessionOpened= SessionLost= Tick= Hinted= Poll= Closed= Other=
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
        Scene scene = event instanceof ElectionEvent.SessionLost ? Stage.noSession(NOW) : Stage.scene();
        ElectionMachine machine = new ElectionMachine(Stage.ELECTION, Stage.rules(), new Numbers());

        if (expected.isEmpty()) {
            assertThatThrownBy(() -> machine.on(state, event, scene))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(state.toString())
                    .hasMessageContaining(event.toString());
            return;
        }
        Step<ElectionState, ElectionEffect> step = machine.on(state, event, scene);

        if (expected.get().isEmpty()) {
            assertThat(step.state()).isEqualTo(state);
            assertThat(step.effects()).isEmpty();
        } else {
            assertThat(summary(step)).isEqualTo(expected.get());
            assertThat(step.state()).isNotEqualTo(state);
        }
    }

    private static String summary(Step<ElectionState, ElectionEffect> step) {
        List<String> effects = new ArrayList<>();
        step.effects().forEach(effect -> effects.add(effect.getClass().getSimpleName()));
        String state = step.state().getClass().getSimpleName();
        return effects.isEmpty() ? state : state + ":" + String.join(",", effects);
    }

    @Test
    void what_users_see_follows_from_each_state() {
        for (ElectionState state : STATES.values()) {
            Standing shown = state.standing();
            if (state instanceof Leading) {
                assertThat(shown).isEqualTo(new Standing.Leading(TERM));
            } else if (state instanceof Draining || state instanceof Forsaken) {
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
            ElectionMachine machine = new ElectionMachine(Stage.ELECTION, Stage.rules(), new Numbers());
            Step<ElectionState, ElectionEffect> step = machine.on(each.getValue(), EVENTS.get("Closed"), Stage.scene());

            for (int steps = 0; steps < 5 && !(step.state() instanceof Retired); steps++) {
                boolean duty = step.state() instanceof Draining || step.state() instanceof Forsaken;
                ElectionEvent next =
                        duty ? new ElectionEvent.DutyEnded(new Loss.Completed()) : new ElectionEvent.Released();
                step = machine.on(step.state(), next, Stage.scene());
            }

            assertThat(step.state()).as(each.getKey()).isEqualTo(new Retired(new Loss.Closed()));
        }
    }
}
