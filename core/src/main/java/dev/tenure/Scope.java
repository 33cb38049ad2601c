package dev.tenure;

/** How far the exclusion of a backend reaches. */
public enum Scope {
    USER,
    MACHINE,
    CLUSTER;

    public boolean isAtLeast(Scope required) {
        return ordinal() >= required.ordinal();
    }
}
