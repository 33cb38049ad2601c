package dev.tenure.simulator.world;

/** Which store a world has, and behind which door. */
enum StoreKind {
    /** Compare-and-set; challengers time an unchanged record on their own clocks. */
    OBSERVER,
    /** Compare-and-set; a read tells whether a record has expired, by the store's time. */
    SERVER_TIME,
    /** Compare-and-set; expired records vanish. */
    SERVER_TTL,
    /** Sessions of its own, and a queue whose grants are pushed. */
    QUEUE,
    /** Sessions of its own, and only hints that something has changed. */
    HINTS;

    boolean hasSessions() {
        return this == QUEUE || this == HINTS;
    }
}
