package dev.tenure.etcd;

/** All keys from one to before another. */
record KeyRange(String from, String to) {
    /** As etcd writes "to the very end". */
    private static final String NO_END = "\0";

    /** Every key that begins with this; every key at all if it is empty. */
    static KeyRange under(String prefix) {
        if (prefix.isEmpty()) {
            return new KeyRange("\0", NO_END);
        }
        int last = prefix.length() - 1;
        return new KeyRange(prefix, prefix.substring(0, last) + (char) (prefix.charAt(last) + 1));
    }

    String json() {
        return "\"key\":\"" + KeyValue.keyToBase64(from) + "\",\"range_end\":\"" + KeyValue.keyToBase64(to) + '"';
    }
}
