package dev.tenure.peers.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GreetingTest {
    private static final Secret SECRET = Secret.of("a secret of sixteen".getBytes(StandardCharsets.UTF_8));
    private static final Secret OTHER = Secret.of("another one of twenty".getBytes(StandardCharsets.UTF_8));

    private final Pair pair = new Pair();

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void two_that_know_the_same_secret_speak_with_each_other() throws Exception {
        Future<Greeting.Known> called = pair.answer(SECRET);

        Greeting.Known caller = pair.call(SECRET).get();
        caller.channel().write(new byte[] {1, 2, 3});
        called.get().channel().write(new byte[] {4});

        assertThat(called.get().theirs().from()).isEqualTo("a");
        assertThat(caller.theirs().from()).isEqualTo("b");
        assertThat(called.get().channel().read()).containsExactly(1, 2, 3);
        assertThat(caller.channel().read()).containsExactly(4);
    }

    @Test
    void another_secret_is_refused_with_a_sentence() {
        Future<Greeting.Known> called = pair.answer(OTHER);

        Future<Greeting.Known> caller = pair.call(SECRET);

        assertThatThrownBy(called::get).hasRootCauseInstanceOf(Refused.class).hasMessageContaining("same secret");
        assertThatThrownBy(caller::get).hasRootCauseInstanceOf(Refused.class).hasMessageContaining("same secret");
    }

    @Test
    void who_has_no_secret_is_told_that_the_other_has_one() {
        Future<Greeting.Known> called = pair.answer(SECRET);

        Future<Greeting.Known> caller = pair.call(Secret.none());

        assertThatThrownBy(caller::get).hasRootCauseInstanceOf(Refused.class).hasMessageContaining("secret.file");
        assertThatThrownBy(called::get).hasRootCauseInstanceOf(Refused.class);
    }

    @Test
    void a_caller_without_the_secret_hears_no_proof_to_try_guesses_on() throws Exception {
        Future<Greeting.Known> called = pair.answer(SECRET);
        Hello hello = Pair.hello("a", "b", true);

        pair.raw().say(hello.encoded());
        byte[] answer = pair.raw().hear();
        pair.raw().say(new byte[Secret.SEAL_BYTES]);

        assertThat(Hello.decoded(answer).from()).isEqualTo("b");
        assertThatThrownBy(() -> pair.raw().hear()).isInstanceOf(Refused.class);
        assertThatThrownBy(called::get).hasRootCauseInstanceOf(Refused.class);
    }

    @Test
    void what_one_side_has_proved_cannot_be_handed_back_to_it() throws Exception {
        Future<Greeting.Known> caller = pair.call(SECRET);

        Pair.Raw mirror = pair.rawCalled();
        Hello heard = Hello.decoded(mirror.hear());
        mirror.say(Pair.hello("b", heard.from(), true).encoded());
        mirror.say(mirror.hear());

        assertThatThrownBy(caller::get).hasRootCauseInstanceOf(Refused.class);
    }

    @Test
    void another_version_is_told_from_garbage() {
        byte[] hello = Pair.hello("a", "b", false).encoded();
        hello[4] = 9;
        byte[] garbage = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

        assertThatThrownBy(() -> Hello.decoded(hello))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("version 9");
        assertThatThrownBy(() -> Hello.decoded(garbage)).isInstanceOf(Garbled.class);
    }

    @Test
    void a_refusal_cannot_draw_on_a_terminal() {
        Future<Greeting.Known> caller = pair.call(SECRET);

        pair.rawCalled().refuse("\u001b[2Jgone\u0007");

        assertThatThrownBy(caller::get).hasRootCauseMessage("?[2Jgone?");
    }
}
