// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import dev.tenure.spi.StoreEra;
import dev.tenure.spi.support.EraRecord;
import dev.tenure.spi.support.TermRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A key with its value, as it was read.
 *
 * @param key one character per byte, because a foreign key need not be text
 */
public record KeyValue(String key, String value, long createRevision, long modRevision, long lease) {
    static KeyValue of(dev.tenure.etcd.client.proto.KeyValue kv) {
        return new KeyValue(
                kv.getKey().toString(StandardCharsets.ISO_8859_1),
                kv.getValue().toStringUtf8(),
                kv.getCreateRevision(),
                kv.getModRevision(),
                kv.getLease());
    }

    static List<KeyValue> all(List<dev.tenure.etcd.client.proto.KeyValue> found) {
        return found.stream().map(KeyValue::of).toList();
    }

    /** The last term of an election, if this is its record. One that cannot be read decides nothing, so it stops nobody. */
    public Optional<TermRecord> term() {
        return TermRecord.find(value);
    }

    /** Of the store, if this is the key that it stands under. */
    public StoreEra era() {
        return EraRecord.of("key " + key, value);
    }
}
