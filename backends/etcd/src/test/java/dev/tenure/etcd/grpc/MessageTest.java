package dev.tenure.etcd.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {
    @Test
    void what_was_written_is_read() {
        Message inner = new MessageWriter().number(1, 300).done();
        Message message = new MessageWriter()
                .number(1, Long.MAX_VALUE)
                .number(2, -1)
                .text(3, "Zürich")
                .latin(4, "\u0000\u00ff")
                .message(5, inner)
                .message(5, Message.EMPTY)
                .flag(64)
                .done();

        assertThat(message.number(1)).isEqualTo(Long.MAX_VALUE);
        assertThat(message.number(2)).isEqualTo(-1);
        assertThat(message.text(3)).isEqualTo("Zürich");
        assertThat(message.latin(4)).isEqualTo("\u0000\u00ff");
        assertThat(message.at(5).number(1)).isEqualTo(300);
        assertThat(message.list(5)).extracting(Message::size).containsExactly(3, 0);
        assertThat(message.flag(64)).isTrue();
    }

    @Test
    void what_is_missing_is_zero() {
        Message message = new MessageWriter().number(1, 0).text(2, "").done();

        assertThat(message.size()).isZero();
        assertThat(message.at(7).at(8).number(9)).isZero();
        assertThat(message.text(2)).isEmpty();
        assertThat(message.list(2)).isEmpty();
        assertThat(message.flag(1)).isFalse();
        assertThat(message.has(2)).isFalse();
    }

    @Test
    void a_zero_that_is_a_choice_is_written() {
        assertThat(new MessageWriter().numberEvenIfZero(5, 0).done().size()).isEqualTo(2);
    }

    @Test
    void fields_that_a_newer_server_adds_are_passed_over_whatever_their_type() {
        // 9: fixed 64, 10: fixed 32, 11: bytes, 12: number; then 1 = 5
        Message message = of("490102030405060708" + "55" + "01020304" + "5a02ffff" + "60ac02" + "0805");

        assertThat(message.number(1)).isEqualTo(5);
    }

    @Test
    void a_field_of_another_type_is_another_field() {
        Message message = of("0a0107" + "0809");

        assertThat(message.number(1)).isEqualTo(9);
        assertThat(message.at(1).size()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "08",
                "80",
                "0880",
                "0a05ffff",
                "0affffffffffffffffff01",
                "4901020304",
                "5501",
                "0b00",
                "0fff",
                "08ffffffffffffffffffff01"
            })
    void what_is_no_message_is_refused(String hex) {
        assertThatThrownBy(() -> {
                    of(hex).number(2);
                    of(hex).number(1);
                    of(hex).at(1);
                })
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Message of(String hex) {
        return Message.of(HexFormat.of().parseHex(hex));
    }
}
