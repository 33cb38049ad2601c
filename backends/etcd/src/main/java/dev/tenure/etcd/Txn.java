package dev.tenure.etcd;

import java.util.ArrayList;
import java.util.List;

/** If all of this holds, do that, else the other: one atomic step of the store. It can stand inside another one. */
final class Txn {
    private final List<String> conditions = new ArrayList<>();
    private final List<String> then = new ArrayList<>();
    private final List<String> otherwise = new ArrayList<>();

    /** The key was created by the write of this revision; 0: there is no such key. */
    Txn ifCreated(String key, long revision) {
        return equal("CREATE", one(key), "create_revision", Long.toString(revision));
    }

    Txn ifModified(String key, long revision) {
        return equal("MOD", one(key), "mod_revision", Long.toString(revision));
    }

    Txn ifLease(String key, long lease) {
        return equal("LEASE", one(key), "lease", Long.toString(lease));
    }

    Txn ifValue(String key, String value) {
        return equal("VALUE", one(key), "value", KeyValue.valueToBase64(value));
    }

    /** There is no key in this range. */
    Txn ifEmpty(KeyRange range) {
        return equal("CREATE", range.json(), "create_revision", "0");
    }

    /** There is a key in this range. */
    Txn ifAny(KeyRange range) {
        return created("NOT_EQUAL", range, 0);
    }

    /** Every key in this range was created at this revision or later. */
    Txn ifNoneBefore(KeyRange range, long revision) {
        return created("GREATER", range, revision - 1);
    }

    private Txn created(String result, KeyRange range, long revision) {
        conditions.add("{\"target\":\"CREATE\",\"result\":\"" + result + "\"," + range.json()
                + ",\"create_revision\":\"" + revision + "\"}");
        return this;
    }

    private Txn equal(String target, String keys, String field, String value) {
        conditions.add("{\"target\":\"" + target + "\"," + keys + ",\"" + field + "\":\"" + value + "\"}");
        return this;
    }

    Txn then(String... operations) {
        then.addAll(List.of(operations));
        return this;
    }

    Txn then(List<String> operations) {
        then.addAll(operations);
        return this;
    }

    Txn otherwise(String... operations) {
        otherwise.addAll(List.of(operations));
        return this;
    }

    /** What is empty or usual is left out: with ten thousand claims, reading them is what costs a server most. */
    String json() {
        List<String> parts = new ArrayList<>(3);
        addTo(parts, "compare", conditions);
        addTo(parts, "success", then);
        addTo(parts, "failure", otherwise);
        return "{" + String.join(",", parts) + "}";
    }

    private static void addTo(List<String> parts, String name, List<String> items) {
        if (!items.isEmpty()) {
            parts.add("\"" + name + "\":[" + String.join(",", items) + "]");
        }
    }

    /** The same as one operation of another transaction. */
    String inside() {
        return "{\"request_txn\":" + json() + "}";
    }

    static String get(String key) {
        return "{\"request_range\":{" + one(key) + "}}";
    }

    /** The candidate that stands longest. */
    static String first(KeyRange range) {
        return "{\"request_range\":{" + range.json() + ",\"limit\":\"1\"," + byCreation("ASCEND") + "}}";
    }

    /** The candidate that came last. */
    static String last(KeyRange range) {
        return "{\"request_range\":{" + range.json() + ",\"limit\":\"1\"," + byCreation("DESCEND") + "}}";
    }

    /** The one that came just before this revision. */
    static String lastBefore(KeyRange range, long revision) {
        return "{\"request_range\":{" + range.json() + ",\"limit\":\"1\",\"max_create_revision\":\"" + (revision - 1)
                + "\"," + byCreation("DESCEND") + "}}";
    }

    static String put(String key, String value) {
        return "{\"request_put\":{" + one(key) + ",\"value\":\"" + KeyValue.valueToBase64(value)
                + "\",\"prev_kv\":true}}";
    }

    static String put(String key, String value, long lease) {
        return "{\"request_put\":{" + one(key) + ",\"value\":\"" + KeyValue.valueToBase64(value) + "\",\"lease\":\""
                + lease + "\"}}";
    }

    static String delete(String key) {
        return "{\"request_delete_range\":{" + one(key) + "}}";
    }

    private static String byCreation(String order) {
        return "\"sort_target\":\"CREATE\",\"sort_order\":\"" + order + '"';
    }

    private static String one(String key) {
        return "\"key\":\"" + KeyValue.keyToBase64(key) + '"';
    }
}
