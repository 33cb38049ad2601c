package dev.tenure.zookeeper;

/** A text that is never shown. */
record Secret(String text) {
    @Override
    public String toString() {
        return "***";
    }
}
