package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What came of one operation of a transaction. */
public sealed interface OpResult {
    /** @param path with the number that the server appended, if it was to */
    record Created(String path) implements OpResult {}

    record Changed(Stat stat) implements OpResult {}

    /** @param text the data; a znode without any has none */
    record Data(String text, Stat stat) implements OpResult {
        static Data read(RecordReader in) throws IOException {
            String text = in.text();
            return new Data(text, Stat.read(in));
        }
    }

    record Children(List<String> names) implements OpResult {}

    /** Deleted, or checked. */
    record Done() implements OpResult {}

    record Refused(Code code) implements OpResult {}

    /** The answer to a transaction. */
    static List<OpResult> readAll(RecordReader in) throws IOException {
        List<OpResult> results = new ArrayList<>();
        while (true) {
            int type = in.number();
            boolean last = in.flag();
            in.number(); // the error again, which stands in the result
            if (last) {
                return results;
            }
            results.add(read(type, in));
        }
    }

    private static OpResult read(int type, RecordReader in) throws IOException {
        if (type == -1) {
            return new Refused(Code.of(in.number()));
        } else if (type == OpType.CREATE.number()) {
            return new Created(in.text());
        } else if (type == OpType.SET_DATA.number()) {
            return new Changed(Stat.read(in));
        } else if (type == OpType.GET_DATA.number()) {
            return Data.read(in);
        } else if (type == OpType.GET_CHILDREN.number()) {
            return new Children(in.texts());
        } else if (type == OpType.DELETE.number() || type == OpType.CHECK.number()) {
            return new Done();
        }
        throw new Garbled("a result of the kind " + type);
    }
}
