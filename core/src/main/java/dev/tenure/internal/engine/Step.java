package dev.tenure.internal.engine;

import java.util.List;

/** What a machine answers to an event: the state it is in now, and what has to be done, in this order. */
public record Step<S, E>(S state, List<E> effects) {
    @SafeVarargs
    @SuppressWarnings("varargs")
    static <S, E> Step<S, E> to(S state, E... effects) {
        return new Step<>(state, List.of(effects));
    }
}
