package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void an_answer_is_read_field_by_field() {
        Json json = Json.parse("{\"header\":{\"revision\":\"17\"},\"n\": -3, \"list\":[{\"a\":\"1\"},{\"a\":\"2\"}],"
                + "\"ok\":true,\"no\":false,\"text\":\"a\\n\\\"b\\\" \\u00e9\\/\",\"nothing\":null}");

        assertThat(json.at("header").number("revision")).isEqualTo(17);
        assertThat(json.number("n")).isEqualTo(-3);
        assertThat(json.list("list")).extracting(item -> item.text("a")).containsExactly("1", "2");
        assertThat(json.flag("ok")).isTrue();
        assertThat(json.flag("no")).isFalse();
        assertThat(json.text("text")).isEqualTo("a\n\"b\" \u00e9/");
    }

    @Test
    void what_is_missing_is_zero() {
        Json json = Json.parse("{}");

        assertThat(json.at("a").at("b").number("c")).isZero();
        assertThat(json.text("a")).isEmpty();
        assertThat(json.list("a")).isEmpty();
        assertThat(json.flag("a")).isFalse();
        assertThat(json.has("a")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "[1", "\"abc", "{\"a\":1}x", "nul", "{a:1}", "\"\\u12"
            })
    void what_is_not_json_is_refused(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_bottomless_answer_is_refused_and_not_followed() {
        assertThatThrownBy(() -> Json.parse("[".repeat(100_000))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_quoted_text_reads_back() {
        String text = "pass\"word\\ \n\t\u0001 \u00e9";

        assertThat(Json.parse("{\"a\":" + Json.quote(text) + "}").text("a")).isEqualTo(text);
    }
}
