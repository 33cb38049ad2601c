package dev.tenure.zookeeper.wire;

/** Who may touch what is created. */
public enum Access {
    /** Anybody. */
    OPEN("world", "anyone"),
    /** Whoever created it, and nobody else. */
    CREATOR("auth", "");

    private static final int ALL = 31;

    private final String scheme;
    private final String id;

    Access(String scheme, String id) {
        this.scheme = scheme;
        this.id = id;
    }

    void write(RecordWriter out) {
        out.number(1).number(ALL).text(scheme).text(id);
    }
}
