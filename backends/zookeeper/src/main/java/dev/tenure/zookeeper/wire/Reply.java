package dev.tenure.zookeeper.wire;

/** Who waits for an answer. Exactly one of these is called, once, on the thread that hears of it; neither may wait. */
public interface Reply<T> {
    void answered(T value);

    void refused(Code code);
}
