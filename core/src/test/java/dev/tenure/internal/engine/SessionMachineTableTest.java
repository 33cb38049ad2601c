// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Loss;
import dev.tenure.internal.engine.SessionMachine.SessionEffect;
import dev.tenure.internal.engine.SessionMachine.SessionEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The table of {@link SessionMachine}, cell by cell: every state times every event, at moments that matter. A new state or
 * event has no row or column here, and the first test says so.
 */
class SessionMachineTableTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long NOW = 500 * SECOND;
    private static final long WALL = 1_700_000_000_000L;
    private static final Timing TIMING = Timing.of(Duration.ofSeconds(10));
    private static final long OPEN_TIMEOUT = 5 * SECOND;
    private static final long ATTEMPT = 7;

    /** A state as seen from NOW, under the name that the rows use. */
    private static final Map<String, SessionState> STATES = new TreeMap<>(Map.ofEntries(
            Map.entry("Idle", new SessionState.Idle()),
            Map.entry("Opening", new SessionState.Opening(ATTEMPT, NOW - SECOND, WALL - 1000, 0)),
            Map.entry("Opening late", new SessionState.Opening(ATTEMPT, NOW - 9 * SECOND, WALL - 9000, 1)),
            Map.entry("Pausing", new SessionState.Pausing(NOW + SECOND, 1)),
            Map.entry("Pausing due", new SessionState.Pausing(NOW, 1)),
            Map.entry("Open planned", open(2, new SessionState.Beat.Planned(NOW + 1), 0)),
            Map.entry("Open idle", open(3, new SessionState.Beat.Planned(NOW + SECOND), 0)),
            Map.entry("Open due", open(3, new SessionState.Beat.Planned(NOW), 0)),
            Map.entry("Open sent", open(3, sent(0), 1)),
            Map.entry("Open unanswered", open(4, sent(2), 0)),
            Map.entry("Ended", new SessionState.Ended())));

    private static final Map<String, SessionState> EXPIRED =
            Map.of("Open expired", open(9, sent(9), 0), "Open expired planned", open(9, planned(), 2));

    private static final Map<String, SessionEvent> EVENTS = new TreeMap<>(Map.of(
            "Wanted", new SessionEvent.Wanted(),
            "Opened", new SessionEvent.Opened(ATTEMPT, "s2", TIMING),
            "OpenFailed", new SessionEvent.OpenFailed(ATTEMPT, "refused"),
            "Renewed", new SessionEvent.Renewed(ATTEMPT, TIMING, true),
            "RenewFailed", new SessionEvent.RenewFailed(ATTEMPT, "refused"),
            "Gone", new SessionEvent.Gone("s1", "evicted"),
            "Tick", new SessionEvent.Tick(),
            "RenewWanted", new SessionEvent.RenewWanted(),
            "ClaimGranted", new SessionEvent.ClaimGranted(),
            "CloseWanted", new SessionEvent.CloseWanted()));

    private static SessionState.Open open(long sinceSeconds, SessionState.Beat beat, int failures) {
        long sentNanos = NOW - sinceSeconds * SECOND;
        Authority authority = Authority.from(TIMING, sentNanos, WALL - sinceSeconds * 1000);
        return new SessionState.Open("s1", TIMING, authority, beat, failures);
    }

    private static SessionState.Beat sent(long secondsAgo) {
        return new SessionState.Beat.Sent(ATTEMPT, NOW - secondsAgo * SECOND, WALL - secondsAgo * 1000);
    }

    private static SessionState.Beat planned() {
        return new SessionState.Beat.Planned(NOW + SECOND);
    }

    /** state | event → kind of the next state: effects. "same" is this very state without effects. */
    private static final String TABLE = """
            Idle            | Wanted       | Opening: SendOpen
            Idle            | Opened       | same
            Idle            | OpenFailed   | same
            Idle            | Renewed      | same
            Idle            | RenewFailed  | same
            Idle            | Gone         | same
            Idle            | Tick         | same
            Idle            | RenewWanted  | same
            Idle            | ClaimGranted | same
            Idle            | CloseWanted  | Ended:
            Opening         | Wanted       | same
            Opening         | Opened       | Open: Publish
            Opening         | OpenFailed   | Pausing: StoreError
            Opening         | Renewed      | same
            Opening         | RenewFailed  | same
            Opening         | Gone         | same
            Opening         | Tick         | same
            Opening         | RenewWanted  | same
            Opening         | ClaimGranted | same
            Opening         | CloseWanted  | Ended:
            Opening late    | Wanted       | same
            Opening late    | Opened       | Pausing: StoreError
            Opening late    | OpenFailed   | Pausing: StoreError
            Opening late    | Renewed      | same
            Opening late    | RenewFailed  | same
            Opening late    | Gone         | same
            Opening late    | Tick         | Pausing: StoreError
            Opening late    | RenewWanted  | same
            Opening late    | ClaimGranted | same
            Opening late    | CloseWanted  | Ended:
            Pausing         | Wanted       | same
            Pausing         | Opened       | same
            Pausing         | OpenFailed   | same
            Pausing         | Renewed      | same
            Pausing         | RenewFailed  | same
            Pausing         | Gone         | same
            Pausing         | Tick         | same
            Pausing         | RenewWanted  | same
            Pausing         | ClaimGranted | same
            Pausing         | CloseWanted  | Ended:
            Pausing due     | Wanted       | same
            Pausing due     | Opened       | same
            Pausing due     | OpenFailed   | same
            Pausing due     | Renewed      | same
            Pausing due     | RenewFailed  | same
            Pausing due     | Gone         | same
            Pausing due     | Tick         | Opening: SendOpen
            Pausing due     | RenewWanted  | same
            Pausing due     | ClaimGranted | same
            Pausing due     | CloseWanted  | Ended:
            Open planned    | Wanted       | same
            Open planned    | Opened       | same
            Open planned    | OpenFailed   | same
            Open planned    | Renewed      | same
            Open planned    | RenewFailed  | Open: RenewalFailed
            Open planned    | Gone         | Opening: Lose SendOpen
            Open planned    | Tick         | same
            Open planned    | RenewWanted  | Open: SendRenew
            Open planned    | ClaimGranted | same
            Open planned    | CloseWanted  | Ended:
            Open idle       | Wanted       | same
            Open idle       | Opened       | same
            Open idle       | OpenFailed   | same
            Open idle       | Renewed      | same
            Open idle       | RenewFailed  | Open: RenewalFailed
            Open idle       | Gone         | Opening: Lose SendOpen
            Open idle       | Tick         | same
            Open idle       | RenewWanted  | Open: SendRenew
            Open idle       | ClaimGranted | Open: SendRenew
            Open idle       | CloseWanted  | Ended:
            Open due        | Wanted       | same
            Open due        | Opened       | same
            Open due        | OpenFailed   | same
            Open due        | Renewed      | same
            Open due        | RenewFailed  | Open: RenewalFailed
            Open due        | Gone         | Opening: Lose SendOpen
            Open due        | Tick         | Open: SendRenew
            Open due        | RenewWanted  | Open: SendRenew
            Open due        | ClaimGranted | Open: SendRenew
            Open due        | CloseWanted  | Ended:
            Open sent       | Wanted       | same
            Open sent       | Opened       | same
            Open sent       | OpenFailed   | same
            Open sent       | Renewed      | Open: Publish RenewalRecovered
            Open sent       | RenewFailed  | Open: RenewalFailed
            Open sent       | Gone         | Opening: Lose SendOpen
            Open sent       | Tick         | same
            Open sent       | RenewWanted  | same
            Open sent       | ClaimGranted | same
            Open sent       | CloseWanted  | Ended:
            Open unanswered | Wanted       | same
            Open unanswered | Opened       | same
            Open unanswered | OpenFailed   | same
            Open unanswered | Renewed      | Open: Publish
            Open unanswered | RenewFailed  | Open: RenewalFailed
            Open unanswered | Gone         | Opening: Lose SendOpen
            Open unanswered | Tick         | Open: RenewalFailed
            Open unanswered | RenewWanted  | same
            Open unanswered | ClaimGranted | same
            Open unanswered | CloseWanted  | Ended:
            Ended           | Wanted       | same
            Ended           | Opened       | same
            Ended           | OpenFailed   | same
            Ended           | Renewed      | same
            Ended           | RenewFailed  | same
            Ended           | Gone         | same
            Ended           | Tick         | same
            Ended           | RenewWanted  | same
            Ended           | ClaimGranted | same
            Ended           | CloseWanted  | Ended:
            """;

    @Test
    void every_state_and_every_event_has_its_row() {
        List<String> rows = new ArrayList<>();
        rows().forEach(row -> rows.add(row[0] + " | " + row[1]));
        List<String> expected = new ArrayList<>();
        STATES.keySet().forEach(state -> EVENTS.keySet().forEach(event -> expected.add(state + " | " + event)));

        assertThat(rows).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(namesOf(STATES.values())).isEqualTo(permitted(SessionState.class));
        assertThat(namesOf(EVENTS.values())).isEqualTo(permitted(SessionEvent.class));
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

    private static List<String[]> rows() {
        return TABLE.lines()
                .map(line -> line.split("\\|"))
                .map(cells -> new String[] {cells[0].trim(), cells[1].trim(), cells[2].trim()})
                .toList();
    }

    @TestFactory
    List<DynamicTest> each_pair_leads_where_the_table_says() {
        return rows().stream()
                .map(row -> DynamicTest.dynamicTest(row[0] + " on " + row[1], () -> check(row[0], row[1], row[2])))
                .toList();
    }

    private static void check(String stateName, String eventName, String expected) {
        SessionState state = STATES.get(stateName);

        Transition<SessionState, SessionEffect> transition = machine().on(state, EVENTS.get(eventName), NOW, WALL);

        if (expected.equals("same")) {
            assertThat(transition.state()).isEqualTo(state);
            assertThat(transition.effects()).isEmpty();
        } else {
            assertThat(summary(transition)).isEqualTo(expected);
        }
    }

    private static SessionMachine machine() {
        return new SessionMachine(TIMING, OPEN_TIMEOUT, new Numbers());
    }

    private static String summary(Transition<SessionState, SessionEffect> transition) {
        StringBuilder text = new StringBuilder(transition.state().getClass().getSimpleName()).append(':');
        transition
                .effects()
                .forEach(effect -> text.append(' ').append(effect.getClass().getSimpleName()));
        return text.toString();
    }

    @Test
    void past_the_deadline_an_open_session_is_lost_whatever_happens() {
        for (SessionState state : EXPIRED.values()) {
            for (SessionEvent event : EVENTS.values()) {
                Transition<SessionState, SessionEffect> transition = machine().on(state, event, NOW, WALL);

                boolean closing = event instanceof SessionEvent.CloseWanted;
                assertThat(summary(transition)).isEqualTo(closing ? "Ended:" : "Opening: Lose SendOpen");
                if (!closing) {
                    Loss loss = ((SessionEffect.Lose) transition.effects().get(0)).loss();
                    assertThat(loss)
                            .isInstanceOf(
                                    event instanceof SessionEvent.Gone ? Loss.SessionLost.class : Loss.Expired.class);
                }
            }
        }
    }
}
