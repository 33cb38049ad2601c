package dev.tenure.zookeeper.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.zookeeper.wire.ScriptedServer.Visit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a server that says what real ones rarely say. */
class WireTest {
    private static final int LONG_MILLIS = 60_000;
    private static final int SHORT_MILLIS = 600;
    private static final byte[] NO_STAT = new byte[68];

    private ScriptedServer server;
    private Client client;

    @BeforeEach
    void begin() throws IOException {
        server = new ScriptedServer();
        client = new Client(Credentials.nobody(), LONG_MILLIS, server.address());
    }

    @AfterEach
    void end() throws IOException {
        client.close();
        server.close();
    }

    private Visit letIn() throws Exception {
        Visit visit = server.visit();
        visit.letIn(LONG_MILLIS);
        assertThat(client.nextTold()).isEqualTo("connected");
        return visit;
    }

    private static byte[] data(Visit visit, int xid, long zxid, String text) {
        byte[] head = Visit.bytes(visit.reply(xid, zxid, 0).text(text));
        byte[] frame = ByteBuffer.allocate(head.length + NO_STAT.length)
                .put(head)
                .put(NO_STAT)
                .array();
        ByteBuffer.wrap(frame).putInt(0, frame.length - Integer.BYTES);
        return frame;
    }

    @Test
    void an_answer_that_comes_byte_by_byte_is_read_whole() throws Exception {
        Visit visit = letIn();
        Client.Answer<OpResult.Data> answer = client.read("/x");
        visit.hear(OpType.GET_DATA);

        for (byte one : data(visit, 1, 5, "what it says")) {
            visit.raw(new byte[] {one});
        }

        assertThat(answer.get()).isEqualTo(new OpResult.Data("what it says", new Stat(0, 0, 0, 0, 0)));
    }

    @Test
    void answers_that_come_together_go_to_those_who_asked_in_their_order() throws Exception {
        Visit visit = letIn();
        Client.Answer<OpResult.Data> first = client.read("/1");
        Client.Answer<OpResult.Data> second = client.read("/2");

        byte[] one = data(visit, 1, 5, "one");
        byte[] two = data(visit, 2, 5, "x".repeat(100_000));
        visit.raw(ByteBuffer.allocate(one.length + two.length).put(one).put(two).array());

        assertThat(((OpResult.Data) first.get()).text()).isEqualTo("one");
        assertThat(((OpResult.Data) second.get()).text()).hasSize(100_000);
    }

    @Test
    void an_answer_to_another_request_ends_the_connection_and_not_the_session() throws Exception {
        Visit visit = letIn();
        Client.Answer<OpResult.Data> answer = client.read("/x");

        visit.raw(data(visit, 2, 5, "not for this one"));

        assertThat(answer.get()).isEqualTo(Code.CONNECTIONLOSS);
        visit.awaitEnd();
        assertComesAgain();
    }

    private void assertComesAgain() throws Exception {
        Visit next = server.visit();
        ByteBuffer greeting = next.heardGreeting();
        greeting.getLong();
        greeting.getInt();
        assertThat(greeting.getLong()).isEqualTo(ScriptedServer.SESSION);
        byte[] password = new byte[greeting.getInt()];
        greeting.get(password);
        assertThat(password).isEqualTo(ScriptedServer.PASSWORD);
        next.greet(LONG_MILLIS, ScriptedServer.SESSION);
        assertThat(client.nextTold()).isEqualTo("connected");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Frames.FRAME_BYTES_MAX + 1, Integer.MAX_VALUE})
    void a_frame_of_a_length_that_cannot_be_ends_the_connection(int length) throws Exception {
        Visit visit = letIn();
        Client.Answer<OpResult.Data> answer = client.read("/x");

        visit.raw(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());

        assertThat(answer.get()).isEqualTo(Code.CONNECTIONLOSS);
        visit.awaitEnd();
        assertComesAgain();
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, 1_000, Integer.MAX_VALUE})
    void a_text_that_is_longer_than_its_frame_ends_the_connection(int length) throws Exception {
        Visit visit = letIn();
        Client.Answer<OpResult.Data> answer = client.read("/x");

        visit.say(visit.reply(1, 5, 0).number(length));

        assertThat(answer.get()).isEqualTo(Code.CONNECTIONLOSS);
        visit.awaitEnd();
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, 3, Integer.MAX_VALUE})
    void more_names_than_a_frame_can_hold_end_the_connection(int count) throws Exception {
        Visit visit = letIn();
        Client.Answer<List<String>> answer = new Client.Answer<>();
        client.wire.send(List.of(Ask.getChildren("/x", answer)));

        visit.say(visit.reply(1, 5, 0).number(count).number(0));

        assertThat(answer.get()).isEqualTo(Code.CONNECTIONLOSS);
        visit.awaitEnd();
    }

    @Test
    void who_does_not_speak_zookeeper_is_not_believed_to_have_let_anybody_in() throws Exception {
        Visit visit = server.visit();

        visit.raw("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

        visit.awaitEnd();
        letIn();
        assertThat(client.told).isEmpty();
    }

    @Test
    void what_is_asked_for_between_two_connections_is_sent_on_the_next() throws Exception {
        letIn().close();
        Visit next = server.visit();

        Client.Answer<OpResult.Data> answer = client.read("/x");
        next.letIn(LONG_MILLIS);
        next.hear(OpType.GET_DATA);
        next.raw(data(next, 1, 5, "late"));

        assertThat(((OpResult.Data) answer.get()).text()).isEqualTo("late");
    }

    @Test
    void what_was_not_answered_when_the_connection_broke_is_told_to_be_lost() throws Exception {
        Visit visit = letIn();
        Client.Answer<OpResult.Data> answer = client.read("/x");
        visit.hear(OpType.GET_DATA);

        visit.close();

        assertThat(answer.get()).isEqualTo(Code.CONNECTIONLOSS);
        assertComesAgain();
    }

    @Test
    void a_server_that_knows_no_such_session_ends_it() throws Exception {
        letIn().close();
        Visit next = server.visit();
        Client.Answer<OpResult.Data> answer = client.read("/x");
        next.heardGreeting();

        next.greet(0, 0);

        assertThat(client.nextTold()).isEqualTo("expired");
        assertThat(answer.get()).isEqualTo(Code.SESSIONEXPIRED);
        assertThat(client.read("/y").get()).isEqualTo(Code.SESSIONEXPIRED);
    }

    @Test
    void a_server_that_lets_us_in_under_another_session_has_forgotten_ours() throws Exception {
        letIn().close();
        Visit next = server.visit();
        next.heardGreeting();

        next.greet(LONG_MILLIS, ScriptedServer.SESSION + 1);

        assertThat(client.nextTold()).isEqualTo("expired");
    }

    @Test
    void a_server_that_falls_silent_is_pinged_and_then_left_for_the_next() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                Client moving = new Client(Credentials.nobody(), SHORT_MILLIS, other.address())) {
            Visit silent = other.visit();
            silent.letIn(SHORT_MILLIS);
            assertThat(moving.nextTold()).isEqualTo("connected");

            silent.hear(OpType.PING);
            silent.awaitEnd();

            ByteBuffer greeting = other.visit().heardGreeting();
            greeting.position(greeting.position() + Long.BYTES + Integer.BYTES);
            assertThat(greeting.getLong()).isEqualTo(ScriptedServer.SESSION);
        }
    }

    @Test
    void a_server_that_answers_pings_is_kept() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                Client staying = new Client(Credentials.nobody(), SHORT_MILLIS, other.address())) {
            Visit visit = other.visit();
            visit.letIn(SHORT_MILLIS);

            for (int ping = 0; ping < 5; ping++) {
                visit.hear(OpType.PING);
                visit.say(visit.reply(-2, 5, 0));
            }

            assertThat(staying.nextTold()).isEqualTo("connected");
            assertThat(staying.told).isEmpty();
        }
    }

    @Test
    void a_server_that_accepts_and_says_nothing_is_left_for_the_next() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                Client moving = new Client(Credentials.nobody(), SHORT_MILLIS, other.address())) {
            other.visit().heardGreeting();

            other.visit().letIn(SHORT_MILLIS);

            assertThat(moving.nextTold()).isEqualTo("connected");
        }
    }

    @Test
    void what_was_watched_is_watched_on_the_next_connection_from_where_this_one_ended() throws Exception {
        Visit visit = letIn();
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        Client.Answer<OpResult.Data> read = new Client.Answer<>();
        client.wire.getData("/x", events::add, read);
        visit.raw(data(visit, 1, 41, "before"));
        read.get();
        visit.close();

        Visit next = server.visit();
        next.letIn(LONG_MILLIS);
        RecordReader again = new RecordReader(next.hear(OpType.SET_WATCHES2));

        assertThat(again.longNumber()).isEqualTo(41);
        assertThat(again.texts()).containsExactly("/x");
        next.say(next.reply(-1, 50, 0).number(2).number(3).text("/x"));
        assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo(new Event(Event.Type.DELETED, "/x"));
    }

    @Test
    void a_notification_is_told_before_the_answer_behind_it() throws Exception {
        Visit visit = letIn();
        Client.Answer<Boolean> watched = new Client.Answer<>();
        client.wire.watch(List.of("/x"), watched);
        visit.hear(OpType.SET_WATCHES);

        visit.say(visit.reply(-1, 5, 0).number(2).number(3).text("/x"));
        visit.say(visit.reply(1, 5, 0));

        assertThat(watched.get()).isEqualTo(true);
        assertThat(client.told).containsExactly("DELETED /x");
    }

    @Test
    void a_login_that_is_refused_is_told_and_not_tried_again() throws Exception {
        try (ScriptedServer other = new ScriptedServer();
                Client stranger = new Client(Credentials.digest("me", "secret"), LONG_MILLIS, other.address())) {
            Visit visit = other.visit();
            visit.letIn(LONG_MILLIS);
            visit.hear(OpType.AUTH);

            visit.say(visit.reply(-4, 0, -115));

            assertThat(stranger.nextTold()).isEqualTo("connected");
            assertThat(stranger.nextTold()).isEqualTo("not believed");
            visit.awaitEnd();
            assertThat(stranger.wire.isOver()).isTrue();
        }
    }

    @Test
    void a_session_is_over_when_the_server_has_said_so() throws Exception {
        Visit visit = letIn();
        Client.Answer<Boolean> closed = new Client.Answer<>();
        client.wire.close(closed);
        visit.hear(OpType.CLOSE);

        visit.say(visit.reply(1, 5, 0));

        assertThat(closed.get()).isEqualTo(true);
        assertThat(client.wire.isOver()).isTrue();
    }

    @Test
    void a_session_whose_end_was_not_acknowledged_is_not_told_to_be_over() throws Exception {
        Visit visit = letIn();
        Client.Answer<Boolean> closed = new Client.Answer<>();
        client.wire.close(closed);
        visit.hear(OpType.CLOSE);

        visit.close();

        assertThat(closed.get()).isEqualTo(Code.CONNECTIONLOSS);
    }
}
