package dev.tenure.spring.support;

import dev.tenure.spring.LeaderOnly;
import dev.tenure.spring.LeaderOnly.Otherwise;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodClassKey;

/** Lets calls in while this process leads. Elections are looked up with the first call: an advisor is created before them. */
final class LeaderOnlyInterceptor implements MethodInterceptor {
    private final BeanFactory beans;
    private final Map<MethodClassKey, Gate> gates = new ConcurrentHashMap<>();

    private record Gate(LedElection election, boolean skips, boolean returnsNothing) {}

    LeaderOnlyInterceptor(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Class<?> target = Objects.requireNonNull(call.getThis(), "a gated method without a target")
                .getClass();
        Gate gate = gates.computeIfAbsent(
                new MethodClassKey(call.getMethod(), target), key -> gate(call.getMethod(), target));
        Optional<LedElection.Entry> entered = gate.election.enter();
        if (entered.isEmpty()) {
            if (gate.skips) {
                return null;
            }
            throw gate.election.notLeading();
        }
        try (LedElection.Entry entry = entered.get()) {
            Object result = call.proceed();
            if (!gate.returnsNothing) {
                entry.leadership().ensureValid();
            }
            return result;
        }
    }

    private Gate gate(Method method, Class<?> target) {
        LeaderOnly annotation = GateAdvisor.of(LeaderOnly.class, method, target);
        String election = AnnotationScanner.resolve(beans, annotation.value());
        boolean returnsNothing = Shape.returnsNothing(method);
        return new Gate(
                beans.getBean(LedElections.class).named(election),
                annotation.otherwise() != Otherwise.THROW && returnsNothing,
                returnsNothing);
    }
}
