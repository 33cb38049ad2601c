package dev.tenure.zookeeper.wire;

import java.io.IOException;

/** Something happened to a znode that was watched. */
public record Event(Type type, String path) {
    private static final int CREATED = 1;
    private static final int DELETED = 2;
    private static final int DATA_CHANGED = 3;
    private static final int CHILDREN_CHANGED = 4;

    public enum Type {
        CREATED,
        DELETED,
        DATA_CHANGED,
        CHILDREN_CHANGED,
        /** Such as that a watch was removed. */
        OTHER
    }

    static Event read(RecordReader in) throws IOException {
        Type type = switch (in.number()) {
            case CREATED -> Type.CREATED;
            case DELETED -> Type.DELETED;
            case DATA_CHANGED -> Type.DATA_CHANGED;
            case CHILDREN_CHANGED -> Type.CHILDREN_CHANGED;
            default -> Type.OTHER;
        };
        in.number(); // the state of the connection, which we know
        return new Event(type, in.text());
    }
}
