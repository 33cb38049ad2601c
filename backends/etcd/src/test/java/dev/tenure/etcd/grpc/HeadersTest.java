package dev.tenure.etcd.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersTest {
    private final HeaderReader reader = new HeaderReader();

    private Map<String, String> read(String hex) {
        return reader.read(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    @Test
    void what_was_written_is_read_whatever_its_length() {
        HeaderWriter written = new HeaderWriter().add("short", "");
        for (int length : new int[] {126, 127, 128, 254, 255, 16_000}) {
            written.add("n" + length, "v".repeat(length));
        }

        Map<String, String> headers = reader.read(written.block());

        assertThat(headers).hasSize(7).contains(entry("short", ""));
        headers.forEach((name, value) ->
                assertThat(value).hasSize(name.equals("short") ? 0 : Integer.parseInt(name.substring(1))));
    }

    @Test
    void the_examples_of_the_standard_are_understood_one_after_the_other() {
        Map<String, String> first =
                read("4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6"
                        + "2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3");
        Map<String, String> second = read("4883 640e ffc1 c0bf");

        assertThat(first).contains(entry(":status", "302"));
        assertThat(first.values())
                .containsExactly("302", "private", "Mon, 21 Oct 2013 20:13:21 GMT", "https://www.example.com");
        assertThat(second.values())
                .containsExactly("307", "private", "Mon, 21 Oct 2013 20:13:21 GMT", "https://www.example.com");
    }

    @Test
    void a_status_may_be_only_a_number_of_the_standard() {
        assertThat(read("88")).containsExactly(entry(":status", "200"));
        assertThat(read("8e")).containsExactly(entry(":status", "500"));
    }

    @Test
    void what_does_not_fit_the_memory_of_headers_any_more_is_forgotten() {
        read("20 3f e11f".replace(" ", "")); // forgets all, then has room for 4096 bytes again
        read("4001 61 01 62".replace(" ", ""));
        assertThat(read("be")).containsExactly(entry("a", "b"));

        read("20");

        assertThatThrownBy(() -> read("be")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80",
                "be",
                "40",
                "4001",
                "0001",
                "00018",
                "3fffffffff0f",
                "3fe220",
                "0085ffffffffff00",
                "ff80808080"
            })
    void what_is_no_block_of_headers_is_refused(String hex) {
        String whole = hex.length() % 2 == 0 ? hex : hex + "0";

        assertThatThrownBy(() -> read(whole)).isInstanceOf(IllegalArgumentException.class);
    }
}
