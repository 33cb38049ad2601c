package dev.tenure.etcd;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * A key with its value, as it was read.
 *
 * @param key one character per byte, because a foreign key need not be text
 */
record KeyValue(String key, String value, long createRevision, long modRevision, long lease) {
    static KeyValue of(Json kv) {
        return new KeyValue(
                new String(bytes(kv, "key"), StandardCharsets.ISO_8859_1),
                new String(bytes(kv, "value"), StandardCharsets.UTF_8),
                kv.number("create_revision"),
                kv.number("mod_revision"),
                kv.number("lease"));
    }

    /** What a range in a transaction's answer found. */
    static List<KeyValue> allOf(Json response) {
        return inRange(response.at("response_range"));
    }

    static List<KeyValue> inRange(Json range) {
        List<KeyValue> found = new ArrayList<>();
        range.list("kvs").forEach(kv -> found.add(of(kv)));
        return found;
    }

    static Optional<KeyValue> firstOf(Json response) {
        return allOf(response).stream().findFirst();
    }

    /** What a put has replaced. */
    static Optional<KeyValue> replacedBy(Json response) {
        Json put = response.at("response_put");
        return put.has("prev_kv") ? Optional.of(of(put.at("prev_kv"))) : Optional.empty();
    }

    private static byte[] bytes(Json kv, String name) {
        return Base64.getDecoder().decode(kv.text(name));
    }

    static String keyToBase64(String key) {
        return Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.ISO_8859_1));
    }

    static String valueToBase64(String value) {
        return Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
    }
}
