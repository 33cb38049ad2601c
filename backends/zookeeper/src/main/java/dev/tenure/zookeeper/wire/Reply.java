package dev.tenure.zookeeper.wire;

import java.util.function.Consumer;

/** Who waits for an answer. Exactly one of these is called, once, on the thread that hears of it; neither may wait. */
public interface Reply<T> {
    void answered(T value);

    void refused(Code code);

    static <T> Reply<T> of(Consumer<T> answered, Consumer<Code> refused) {
        return new Reply<>() {
            @Override
            public void answered(T value) {
                answered.accept(value);
            }

            @Override
            public void refused(Code code) {
                refused.accept(code);
            }
        };
    }
}
