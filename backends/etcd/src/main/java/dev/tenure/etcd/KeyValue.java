package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import java.util.List;

/**
 * A key with its value, as it was read.
 *
 * @param key one character per byte, because a foreign key need not be text
 */
record KeyValue(String key, String value, long createRevision, long modRevision, long lease) {
    static KeyValue of(Message kv) {
        return new KeyValue(kv.latin(1), kv.text(5), kv.number(2), kv.number(3), kv.number(6));
    }

    /** Of the store, if this is the key that it stands under. */
    StoreEra era() {
        return EraRecord.of("key " + key, value);
    }

    /** What a range has found. */
    static List<KeyValue> inRange(Message range) {
        return range.list(2).stream().map(KeyValue::of).toList();
    }
}
