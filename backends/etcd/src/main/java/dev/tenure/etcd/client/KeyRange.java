// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import com.google.protobuf.ByteString;
import dev.tenure.etcd.client.proto.RangeRequest;
import java.nio.charset.StandardCharsets;

/** All keys from one to before another; just the one if there is no other. */
public record KeyRange(String from, String to) {
    /** As etcd writes "to the very end". */
    private static final String NO_END = "\0";

    public static KeyRange one(String key) {
        return new KeyRange(key, "");
    }

    /** Every key that begins with this; every key at all if it is empty. */
    public static KeyRange under(String prefix) {
        if (prefix.isEmpty()) {
            return new KeyRange("\0", NO_END);
        }
        int last = prefix.length() - 1;
        return new KeyRange(prefix, prefix.substring(0, last) + (char) (prefix.charAt(last) + 1));
    }

    /** Of a key, which has one character per byte. */
    static ByteString bytes(String key) {
        return ByteString.copyFrom(key, StandardCharsets.ISO_8859_1);
    }

    RangeRequest.Builder request() {
        return RangeRequest.newBuilder().setKey(bytes(from)).setRangeEnd(bytes(to));
    }
}
