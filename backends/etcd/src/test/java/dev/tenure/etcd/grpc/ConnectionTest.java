package dev.tenure.etcd.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.tenure.etcd.grpc.ScriptedServer.Frame;
import dev.tenure.etcd.grpc.ScriptedServer.Peer;
import dev.tenure.support.Ports;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One call at a time against a server that says what the test wants; real ones are met by the backend's own tests. */
class ConnectionTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Message QUESTION =
            new MessageWriter().text(1, "who leads?").done();
    private static final Message ANSWER = new MessageWriter().text(1, "node-7").done();
    private static final byte[] HEADERS =
            new HeaderWriter().add(":method", "POST").block();

    private static Message call(ScriptedServer server, Message question) throws Exception {
        return call(server.uri(), question, LONG);
    }

    private static Message call(URI server, Message question, Duration timeout) throws Exception {
        try (BlockingConnection connection = BlockingConnection.open(server, Optional.empty(), LONG)) {
            return connection.call(HEADERS, question, timeout);
        }
    }

    private static void assertAnswered(ScriptedServer.Script script) throws Exception {
        try (ScriptedServer server = new ScriptedServer(script)) {
            assertThat(call(server, QUESTION).text(1)).isEqualTo("node-7");
            server.awaitPlayed();
        }
    }

    private static <T extends Throwable> T failureOf(Class<T> type, ScriptedServer.Script script) throws Exception {
        try (ScriptedServer server = new ScriptedServer(script)) {
            return catchThrowableOfType(type, () -> call(server, QUESTION));
        }
    }

    @Test
    void a_question_arrives_as_it_was_asked_and_its_answer_comes_back() throws Exception {
        AtomicReference<byte[]> heard = new AtomicReference<>();

        assertAnswered(peer -> {
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            peer.greet();
            int stream = peer.readRequest(request);
            heard.set(request.toByteArray());
            peer.answer(stream, ANSWER);
        });

        assertThat(heard.get()).isEqualTo(Peer.prefixed(QUESTION));
    }

    @Test
    void an_answer_may_come_byte_by_byte() throws Exception {
        assertAnswered(peer -> {
            peer.greet();
            int stream = peer.readRequest();
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            answer.writeBytes(
                    Peer.frame(FrameType.HEADERS, FrameType.END_HEADERS, stream, Peer.headers(":status", "200")));
            answer.writeBytes(Peer.frame(FrameType.DATA, 0, stream, Peer.prefixed(ANSWER)));
            for (byte one : answer.toByteArray()) {
                peer.write(new byte[] {one});
            }
        });
    }

    @Test
    void headers_and_messages_may_come_in_several_frames_with_padding_and_priorities() throws Exception {
        assertAnswered(peer -> {
            peer.greet();
            int stream = peer.readRequest();
            byte[] block = Peer.headers(":status", "200", "content-type", "application/grpc");
            byte[] padded = new byte[1 + 5 + 4 + 3];
            padded[0] = 3;
            System.arraycopy(block, 0, padded, 6, 4);
            peer.send(FrameType.HEADERS, FrameType.PADDED | FrameType.WITH_PRIORITY, stream, padded);
            peer.send(FrameType.CONTINUATION, 0, stream, Arrays.copyOfRange(block, 4, 9));
            peer.send(
                    FrameType.CONTINUATION, FrameType.END_HEADERS, stream, Arrays.copyOfRange(block, 9, block.length));
            byte[] message = Peer.prefixed(ANSWER);
            peer.send(FrameType.DATA, 0, stream, Arrays.copyOf(message, 3));
            byte[] rest = new byte[1 + message.length - 3 + 2];
            rest[0] = 2;
            System.arraycopy(message, 3, rest, 1, message.length - 3);
            peer.send(FrameType.DATA, FrameType.PADDED, stream, rest);
        });
    }

    @Test
    void what_a_server_says_besides_is_heard_and_what_it_asks_is_answered() throws Exception {
        assertAnswered(peer -> {
            peer.greet(3, 100);
            int stream = peer.readRequest();
            peer.send(FrameType.PING, 0, 0, "12345678".getBytes(StandardCharsets.US_ASCII));
            peer.write(new byte[] {0, 0, 1, 99, 0, 0, 0, 0, 0, 7}); // a kind of frame that is yet to be invented
            peer.send(FrameType.PRIORITY, 0, stream, new byte[5]);
            Frame pong = peer.next(FrameType.PING);
            assertThat(pong.flags()).isEqualTo(FrameType.ACK);
            assertThat(pong.content()).asString(StandardCharsets.US_ASCII).isEqualTo("12345678");
            peer.answer(stream, ANSWER);
        });
    }

    @Test
    void a_long_question_goes_in_pieces_and_never_faster_than_the_server_allows() throws Exception {
        Message question = new MessageWriter().text(1, "x".repeat(200_000)).done();
        AtomicReference<byte[]> heard = new AtomicReference<>();
        ScriptedServer.Script script = peer -> {
            peer.greet(4, 30_000);
            peer.answer(peer.readRequest(), ANSWER); // now it is known what the server allows
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            int allowed = 30_000;
            int allowedInAll = 65_535 - Peer.prefixed(QUESTION).length;
            Frame frame = peer.next(FrameType.DATA);
            while (true) {
                request.writeBytes(frame.content());
                assertThat(frame.content().length).isLessThanOrEqualTo(16_384);
                assertThat(request.size()).isLessThanOrEqualTo(Math.min(allowed, allowedInAll));
                if ((frame.flags() & FrameType.END_STREAM) != 0) {
                    break;
                }
                if (request.size() == allowed) {
                    allowed += 20_000;
                    peer.send(FrameType.WINDOW_UPDATE, 0, frame.stream(), Peer.number(20_000));
                }
                if (request.size() == allowedInAll) {
                    allowedInAll += 50_000;
                    peer.send(FrameType.WINDOW_UPDATE, 0, 0, Peer.number(50_000));
                }
                frame = peer.next(FrameType.DATA);
            }
            heard.set(request.toByteArray());
            peer.answer(frame.stream(), ANSWER);
        };

        try (ScriptedServer server = new ScriptedServer(script);
                BlockingConnection connection = BlockingConnection.open(server.uri(), Optional.empty(), LONG)) {
            connection.call(HEADERS, QUESTION, LONG);
            assertThat(connection.call(HEADERS, question, LONG).text(1)).isEqualTo("node-7");
            server.awaitPlayed();
        }

        assertThat(heard.get()).isEqualTo(Peer.prefixed(question));
    }

    @Test
    void a_long_answer_is_acknowledged_so_that_the_server_may_go_on() throws Exception {
        Message answer = new MessageWriter().text(1, "y".repeat(3_000_000)).done();
        ScriptedServer.Script script = peer -> {
            peer.greet();
            int stream = peer.readRequest();
            peer.send(FrameType.HEADERS, FrameType.END_HEADERS, stream, Peer.headers(":status", "200"));
            byte[] bytes = Peer.prefixed(answer);
            int window = 1024 * 1024;
            for (int at = 0; at < bytes.length; at += 16_000) {
                int count = Math.min(16_000, bytes.length - at);
                while (window < count) {
                    Frame more = peer.next(FrameType.WINDOW_UPDATE);
                    window += more.stream() == stream
                            ? java.nio.ByteBuffer.wrap(more.content()).getInt()
                            : 0;
                }
                window -= count;
                peer.send(FrameType.DATA, 0, stream, Arrays.copyOfRange(bytes, at, at + count));
            }
        };

        try (ScriptedServer server = new ScriptedServer(script)) {
            assertThat(call(server, QUESTION).text(1)).hasSize(3_000_000);
        }
    }

    @Test
    void a_refusal_comes_with_its_code_and_its_words() throws Exception {
        Ended refusal = failureOf(Ended.class, peer -> {
            peer.greet();
            peer.end(
                    peer.readRequest(),
                    ":status",
                    "200",
                    "grpc-status",
                    "7",
                    "grpc-message",
                    "not%20for%C3%BCyou 100%");
        });

        assertThat(refusal.code()).isEqualTo(7);
        assertThat(refusal.said()).isEqualTo("not for\u00c3\u00bcyou 100%");
    }

    @Test
    void a_page_of_some_other_server_is_no_answer() throws Exception {
        Ended refusal = failureOf(Ended.class, peer -> {
            peer.greet();
            peer.end(peer.readRequest(), ":status", "404");
        });

        assertThat(refusal.code()).isEqualTo(2);
        assertThat(refusal.said()).isEqualTo("HTTP status 404");
    }

    @Test
    void a_stream_that_the_server_never_looked_at_is_told_apart_from_one_that_it_broke_off() throws Exception {
        assertThat(failureOf(IOException.class, peer -> {
                    peer.greet();
                    peer.send(FrameType.RST_STREAM, 0, peer.readRequest(), Peer.number(7));
                }))
                .isInstanceOf(NotProcessed.class);
        assertThat(failureOf(IOException.class, peer -> {
                    peer.greet();
                    peer.send(FrameType.GOAWAY, 0, 0, new byte[8]);
                    peer.next(FrameType.DATA);
                }))
                .isInstanceOf(NotProcessed.class);
        assertThat(failureOf(IOException.class, peer -> {
                    peer.greet();
                    peer.send(FrameType.RST_STREAM, 0, peer.readRequest(), Peer.number(2));
                }))
                .isNotInstanceOf(NotProcessed.class)
                .hasMessageContaining("code 2");
    }

    @Test
    void a_server_that_goes_away_still_answers_what_it_has_and_gets_nothing_new() throws Exception {
        ScriptedServer.Script script = peer -> {
            peer.greet();
            int stream = peer.readRequest();
            peer.send(FrameType.GOAWAY, 0, 0, new byte[] {0, 0, 0, 1, 0, 0, 0, 0});
            peer.answer(stream, ANSWER);
            peer.next();
        };

        try (ScriptedServer server = new ScriptedServer(script);
                BlockingConnection connection = BlockingConnection.open(server.uri(), Optional.empty(), LONG)) {
            assertThat(connection.call(HEADERS, QUESTION, LONG).text(1)).isEqualTo("node-7");
            assertThat(connection.isUsable()).isFalse();
            assertThatThrownBy(() -> connection.call(HEADERS, QUESTION, LONG)).isInstanceOf(NotProcessed.class);
        }
    }

    @Test
    void a_connection_that_was_closed_while_nobody_called_is_known_before_the_next_call() throws Exception {
        ScriptedServer.Script script = peer -> {
            peer.greet();
            peer.answer(peer.readRequest(), ANSWER);
        };

        try (ScriptedServer server = new ScriptedServer(script);
                BlockingConnection connection = BlockingConnection.open(server.uri(), Optional.empty(), LONG)) {
            connection.call(HEADERS, QUESTION, LONG);
            server.awaitPlayed();

            await().atMost(LONG).until(() -> !connection.isUsable());
        }
    }

    @Test
    void a_silent_server_is_given_up() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Peer::listen)) {
            assertThatThrownBy(() -> call(server.uri(), QUESTION, Duration.ofMillis(50)))
                    .isInstanceOf(NoAnswer.class);
        }
    }

    @Test
    void whoever_waits_can_be_interrupted() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Peer::listen)) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> call(server, QUESTION)).isInstanceOf(InterruptedException.class);
        } finally {
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void a_server_that_is_not_there_is_unreachable() throws Exception {
        try (Socket bound = Ports.refusing()) {
            URI nobody = URI.create("http://127.0.0.1:" + bound.getLocalPort());

            assertThatThrownBy(() -> call(nobody, QUESTION, LONG)).isInstanceOf(Unreachable.class);
        }
    }

    @Test
    void a_server_that_speaks_something_else_is_told_with_what_may_help() throws Exception {
        assertThat(failureOf(NotGrpc.class, peer -> {
                    peer.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    peer.listen();
                }))
                .hasMessageContaining("HTTP/2");
        assertThat(failureOf(EOFException.class, peer -> peer.write(new byte[] {0x15, 3, 1, 0, 2, 2, 70})))
                .hasMessageContaining("tls=true");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void garbage_ends_the_call_and_nothing_else(int seed) throws Exception {
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            byte[] garbage = new byte[random.nextInt(200)];
            random.nextBytes(garbage);
            FrameType type = FrameType.values()[random.nextInt(FrameType.values().length)];
            int flags = random.nextInt(256);

            assertThat(failureOf(IOException.class, peer -> {
                        peer.greet();
                        int stream = peer.readRequest();
                        peer.send(type, flags, stream, garbage);
                        peer.write(garbage);
                    }))
                    .isNotNull();
        }
    }
}
