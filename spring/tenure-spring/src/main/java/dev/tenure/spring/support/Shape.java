package dev.tenure.spring.support;

import dev.tenure.spring.FencedTransactional;
import dev.tenure.spring.LeaderDuty;
import dev.tenure.spring.LeaderOnly;
import dev.tenure.spring.LeaderOnly.Otherwise;
import dev.tenure.spring.TenureConfigurationException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.BiPredicate;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

/**
 * What a method must look like for its annotation to work. A method that Spring cannot intercept would run on every instance, so each of these
 * rules fails the start, with what to change.
 */
final class Shape {
    private static final List<Rule> INTERCEPTED = List.of(
            new Rule(
                    (type, method) -> Modifier.isStatic(method.getModifiers()),
                    "is static, and static methods are not intercepted",
                    "make it a method of the bean"),
            new Rule(
                    (type, method) -> Modifier.isPrivate(method.getModifiers()),
                    "is private, and private methods are not intercepted",
                    "make it public"),
            new Rule(
                    (type, method) -> Modifier.isFinal(method.getModifiers()),
                    "is final, and final methods are not intercepted",
                    "remove final; in Kotlin add open, or the plugin kotlin-spring"),
            new Rule(
                    (type, method) -> Modifier.isFinal(type.getModifiers()),
                    "is in a final class, and such a class cannot be proxied",
                    "remove final; in Kotlin add open, or the plugin kotlin-spring"),
            new Rule(
                    (type, method) -> AnnotatedElementUtils.hasAnnotation(method, Bean.class),
                    "is a @Bean method, which is called once at the start",
                    "annotate the methods of the bean that it makes"),
            new Rule(
                    Shape::isCallback,
                    "is called by Spring on the bean itself, before there is a proxy or after it",
                    "use @LeaderDuty, or @ActiveWhileLeading on a Lifecycle"),
            new Rule(
                    (type, method) -> isDeferred(type, method),
                    "returns before its work is done, so its leadership may be over while it works",
                    "return the result itself, add @Async, or use @LeaderDuty"),
            new Rule(
                    (type, method) -> isSuspending(method),
                    "is a suspend function, which goes on after its leadership was checked",
                    "call TenureTemplate around what blocks"));

    private static final List<Rule> CALLED = List.of(
            new Rule(
                    (type, method) -> Modifier.isStatic(method.getModifiers()),
                    "is static",
                    "make it a method of the bean"),
            new Rule(
                    (type, method) -> Modifier.isPrivate(method.getModifiers()),
                    "is private, and a proxy of its bean would not have it",
                    "make it package-private or public"),
            new Rule(
                    (type, method) -> AnnotatedElementUtils.hasAnnotation(method, Bean.class),
                    "is a @Bean method",
                    "annotate a method of the bean that it makes"),
            new Rule(
                    (type, method) -> isAsync(type, method),
                    "is @Async, so it would return before its work is done",
                    "remove @Async: it has a thread of its own"),
            new Rule(
                    (type, method) -> AnnotatedElementUtils.hasAnnotation(method, Scheduled.class),
                    "is @Scheduled, so it would also run on every instance",
                    "remove @Scheduled, or use @LeaderOnly instead"),
            new Rule((type, method) -> !returnsNothing(method), "returns something that nothing reads", "return void"));

    private record Rule(BiPredicate<Class<?>, Method> broken, String problem, String remedy) {}

    private Shape() {}

    /** A method that is called with an argument of this class, or with none. */
    static void requireCallable(
            Class<? extends Annotation> annotation, Class<?> type, Method method, Class<?> parameter) {
        require(CALLED, annotation, type, method);
        if (method.getParameterCount() > 1
                || (method.getParameterCount() == 1 && method.getParameterTypes()[0] != parameter)) {
            throw refused(
                    annotation,
                    method,
                    "has parameters that nothing can pass",
                    "take a " + parameter.getSimpleName() + ", or nothing");
        }
    }

    static void requireInterceptable(Class<? extends Annotation> annotation, Class<?> type, Method method) {
        require(INTERCEPTED, annotation, type, method);
        LeaderOnly gate = AnnotatedElementUtils.findMergedAnnotation(method, LeaderOnly.class);
        if (gate != null && gate.otherwise() == Otherwise.SKIP && !returnsNothing(method)) {
            throw refused(
                    annotation,
                    method,
                    "returns something, which a skipped call does not have",
                    "use otherwise = THROW");
        }
        for (Class<?> in = type; in != null && in != Object.class; in = in.getSuperclass()) {
            requireNoSelfInvocation(annotation, in, method);
        }
    }

    private static void require(
            List<Rule> rules, Class<? extends Annotation> annotation, Class<?> type, Method method) {
        for (Rule rule : rules) {
            if (rule.broken.test(type, method)) {
                throw refused(annotation, method, rule.problem, rule.remedy);
            }
        }
    }

    private static void requireNoSelfInvocation(Class<? extends Annotation> annotation, Class<?> in, Method method) {
        for (SelfInvocations.Caller caller : SelfInvocations.of(in, method)) {
            String name = caller.name().startsWith("lambda$") ? caller.name().split("\\$")[1] : caller.name();
            boolean underTheSame = Arrays.stream(in.getDeclaredMethods())
                    .filter(candidate -> candidate.getName().equals(name))
                    .anyMatch(candidate -> isUnderTheSame(annotation, candidate, method));
            if (!underTheSame) {
                throw refused(
                        annotation,
                        method,
                        "is called by " + in.getSimpleName() + "." + name + " on this, around the proxy",
                        "move it to another bean, or inject the bean into itself with @Lazy and call it there");
            }
        }
    }

    /** A caller that has the same authority already needs no gate in between. */
    private static boolean isUnderTheSame(Class<? extends Annotation> annotation, Method caller, Method called) {
        if (annotation == FencedTransactional.class) {
            FencedTransactional outer = AnnotatedElementUtils.findMergedAnnotation(caller, FencedTransactional.class);
            FencedTransactional inner = AnnotatedElementUtils.findMergedAnnotation(called, FencedTransactional.class);
            return outer != null && inner != null && outer.value().equals(inner.value());
        }
        LeaderOnly gate = AnnotatedElementUtils.findMergedAnnotation(called, LeaderOnly.class);
        LeaderOnly outer = AnnotatedElementUtils.findMergedAnnotation(caller, LeaderOnly.class);
        LeaderDuty duty = AnnotatedElementUtils.findMergedAnnotation(caller, LeaderDuty.class);
        return gate != null
                && ((outer != null && outer.value().equals(gate.value()))
                        || (duty != null && duty.election().equals(gate.value())));
    }

    static TenureConfigurationException refused(
            Class<? extends Annotation> annotation, Method method, String problem, String remedy) {
        return new TenureConfigurationException(
                "@" + annotation.getSimpleName() + " on " + nameOf(method) + " cannot work: the method " + problem,
                remedy);
    }

    static String nameOf(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    static boolean returnsNothing(Method method) {
        return method.getReturnType() == void.class;
    }

    private static boolean isCallback(Class<?> type, Method method) {
        MergedAnnotations annotations = MergedAnnotations.from(method);
        return annotations.isPresent("jakarta.annotation.PostConstruct")
                || annotations.isPresent("jakarta.annotation.PreDestroy")
                || (InitializingBean.class.isAssignableFrom(type)
                        && method.getName().equals("afterPropertiesSet"))
                || (DisposableBean.class.isAssignableFrom(type)
                        && method.getName().equals("destroy"));
    }

    private static boolean isDeferred(Class<?> type, Method method) {
        Class<?> returned = method.getReturnType();
        boolean isFuture = Future.class.isAssignableFrom(returned) || CompletionStage.class.isAssignableFrom(returned);
        return (isFuture && !isAsync(type, method))
                || Flow.Publisher.class.isAssignableFrom(returned)
                || isOrHas(returned, Set.of("org.reactivestreams.Publisher", "kotlinx.coroutines.flow.Flow"));
    }

    private static boolean isOrHas(Class<?> returned, Set<String> interfaces) {
        return interfaces.contains(returned.getName())
                || Arrays.stream(ClassUtils.getAllInterfacesForClass(returned))
                        .anyMatch(one -> interfaces.contains(one.getName()));
    }

    private static boolean isAsync(Class<?> type, Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class);
    }

    private static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
    }
}
