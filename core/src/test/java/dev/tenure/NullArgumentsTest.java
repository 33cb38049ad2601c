// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenure.fakes.Scene;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A caller that passes null is told which argument it was, at once. */
@NullUnmarked
class NullArgumentsTest {
    private static final Duty DUTY = leadership -> {};

    static Stream<Arguments> calls() {
        Scene scene = new Scene();
        Tenure tenure = scene.client("a");
        Campaign campaign = tenure.elect("x");
        TenureBuilder builder = Tenure.using(scene.store);
        return Stream.of(
                call("url", () -> Tenure.connect(null)),
                call("store", () -> Tenure.using((StoreBinding) null)),
                call("store", () -> Tenure.using((Function<Host, StoreBinding>) null)),
                call("ttl", () -> builder.ttl(null)),
                call("node", () -> builder.node(null)),
                call("grade", () -> builder.requireGrade(null)),
                call("scope", () -> builder.requireScope(null)),
                call("host", () -> builder.host(null)),
                call("election", () -> tenure.elect(null)),
                call("election", () -> tenure.observe(null)),
                call("election", () -> tenure.leaderOf(null)),
                call("election", () -> tenure.askToResign(null)),
                call("election", () -> tenure.exclusively(null, Duration.ZERO, DUTY)),
                call("waitAtMost", () -> tenure.exclusively("x", null, DUTY)),
                call("body", () -> tenure.exclusively("x", Duration.ZERO, null)),
                call("olderThan", () -> tenure.prunable(null)),
                call("progress", () -> tenure.prune(Duration.ofDays(7), null)),
                call("listener", () -> tenure.onEvent(null)),
                call("holder", () -> campaign.as(null)),
                call("key", () -> campaign.metadata(null, "value")),
                call("value", () -> campaign.metadata("key", null)),
                call("budget", () -> campaign.drainWithin(null)),
                call("pause", () -> campaign.coolDown(null)),
                call("action", () -> campaign.onOverdue(null)),
                call("fences", () -> campaign.fencedBy((Fence[]) null)),
                call("fences", () -> campaign.fencedBy((Fence) null)),
                call("duty", () -> campaign.perform(null)),
                call("service", () -> campaign.run(null)));
    }

    private static Arguments call(String argument, ThrowingCallable call) {
        return Arguments.of(argument, call);
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("calls")
    void a_null_is_refused_with_a_sentence_that_names_the_argument(String argument, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(NullPointerException.class)
                .message()
                .matches(argument + " (is null|contains null): [a-z].{10,}");
    }
}
