package dev.tenure.zookeeper.wire;

import java.util.function.Consumer;

/** One operation on one znode: a request of its own, or a part of a transaction. */
public final class Op {
    private final OpType type;
    private final String path;
    private final Consumer<RecordWriter> rest;

    private Op(OpType type, String path, Consumer<RecordWriter> rest) {
        this.type = type;
        this.path = path;
        this.rest = rest;
    }

    public static Op create(String path, byte[] data, Access access, CreateMode mode) {
        return creation(OpType.CREATE, path, data, access, mode);
    }

    static Op creation(OpType type, String path, byte[] data, Access access, CreateMode mode) {
        return new Op(type, path, out -> {
            out.data(data);
            access.write(out);
            out.number(mode.flags());
        });
    }

    public static Op delete(String path, int version) {
        return new Op(OpType.DELETE, path, out -> out.number(version));
    }

    public static Op setData(String path, byte[] data, int version) {
        return new Op(OpType.SET_DATA, path, out -> out.data(data).number(version));
    }

    /** Refused unless the znode is there, in this version; -1 is any. */
    public static Op check(String path, int version) {
        return new Op(OpType.CHECK, path, out -> out.number(version));
    }

    public static Op getData(String path) {
        return new Op(OpType.GET_DATA, path, Op::unwatched);
    }

    static Op getDataAndWatch(String path) {
        return new Op(OpType.GET_DATA, path, out -> out.flag(true));
    }

    public static Op getChildren(String path) {
        return new Op(OpType.GET_CHILDREN, path, Op::unwatched);
    }

    private static void unwatched(RecordWriter out) {
        out.flag(false);
    }

    static Op sync(String path) {
        return new Op(OpType.SYNC, path, out -> {});
    }

    static Op addWatch(String path, int mode) {
        return new Op(OpType.ADD_WATCH, path, out -> out.number(mode));
    }

    public String path() {
        return path;
    }

    OpType type() {
        return type;
    }

    void write(RecordWriter out) {
        out.text(path);
        rest.accept(out);
    }
}
