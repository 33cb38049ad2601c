package dev.tenure.etcd;

import dev.tenure.etcd.grpc.MessageWriter;

/** All keys from one to before another; just the one if there is no other. */
record KeyRange(String from, String to) {
    /** As etcd writes "to the very end". */
    private static final String NO_END = "\0";

    static KeyRange one(String key) {
        return new KeyRange(key, "");
    }

    /** Every key that begins with this; every key at all if it is empty. */
    static KeyRange under(String prefix) {
        if (prefix.isEmpty()) {
            return new KeyRange("\0", NO_END);
        }
        int last = prefix.length() - 1;
        return new KeyRange(prefix, prefix.substring(0, last) + (char) (prefix.charAt(last) + 1));
    }

    /** The beginning of every request that is about a range. */
    MessageWriter request() {
        return new MessageWriter().latin(1, from).latin(2, to);
    }
}
