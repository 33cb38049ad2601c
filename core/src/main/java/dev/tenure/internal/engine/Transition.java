// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.engine;

import java.util.List;

/** What a machine answers to an event: the state it is in now, and what has to be done, in this order. */
public record Transition<S, E>(S state, List<E> effects) {
    @SafeVarargs
    @SuppressWarnings("varargs")
    static <S, E> Transition<S, E> to(S state, E... effects) {
        return new Transition<>(state, List.of(effects));
    }
}
