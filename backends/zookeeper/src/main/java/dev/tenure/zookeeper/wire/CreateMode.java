package dev.tenure.zookeeper.wire;

/** How long a znode is to stay, and who names it. */
public enum CreateMode {
    PERSISTENT(0),
    /** Until the session ends; the server appends a number to the name, higher each time. */
    EPHEMERAL_SEQUENTIAL(3);

    private final int flags;

    CreateMode(int flags) {
        this.flags = flags;
    }

    int flags() {
        return flags;
    }
}
