// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

import java.util.List;

/** The answer of a machine to one event. */
public record Step<S>(S state, List<Effect> effects) {
    public Step {
        effects = List.copyOf(effects);
    }

    public static <S> Step<S> to(S state, Effect... effects) {
        return new Step<>(state, List.of(effects));
    }

    public static <S> Step<S> to(S state, List<Effect> effects) {
        return new Step<>(state, effects);
    }
}
