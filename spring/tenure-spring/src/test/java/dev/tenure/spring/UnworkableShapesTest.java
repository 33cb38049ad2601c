// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Named.named;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tenure.spring.LeaderOnly.Otherwise;
import dev.tenure.spring.elsewhere.HiddenGate;
import dev.tenure.testing.FakeElections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.annotation.Scheduled;

/** Whatever would silently run on every instance, or never, fails the start with a sentence. */
class UnworkableShapesTest {
    private final FakeElections elections = FakeElections.create();

    @AfterEach
    void close() {
        elections.close();
    }

    static Stream<Arguments> shapes() {
        return Stream.of(
                shape(StaticMethod.class, "StaticMethod.run", "is static", "make it a method of the bean"),
                shape(PrivateMethod.class, "PrivateMethod.run", "is private", "make it public"),
                shape(PrivateInSuperclass.class, "PrivateMethod.run", "is private", "make it public"),
                shape(
                        HiddenInSuperclass.class,
                        "HiddenGate.run",
                        "is package-private in another package than its bean",
                        "make it protected or public"),
                shape(FinalMethod.class, "FinalMethod.run", "is final", "remove final"),
                shape(FinalClass.class, "FinalClass.run", "is in a final class", "remove final"),
                shape(RecordBean.class, "RecordBean.run", "is in a final class", "remove final"),
                shape(LazyFinalClass.class, "LazyFinalClass.run", "is in a final class", "remove final"),
                shape(PrototypeFinalClass.class, "PrototypeFinalClass.run", "is in a final class", "remove final"),
                shape(BeanMethod.class, "BeanMethod.made", "is a @Bean method", "annotate a method of the bean"),
                shape(
                        Initialized.class,
                        "Initialized.afterPropertiesSet",
                        "called by Spring on the bean",
                        "use @LeaderDuty"),
                shape(Destroyed.class, "Destroyed.destroy", "called by Spring on the bean itself", "use @LeaderDuty"),
                shape(ReturnsFuture.class, "ReturnsFuture.run", "returns before its work is done", "add @Async"),
                shape(
                        ReturnsPublisher.class,
                        "ReturnsPublisher.run",
                        "returns before its work is done",
                        "return the result"),
                shape(Suspends.class, "Suspends.run", "is a suspend function", "call TenureTemplate"),
                shape(SkipsValue.class, "SkipsValue.run", "returns something", "use otherwise = THROW"),
                shape(
                        CallsItself.class,
                        "CallsItself.run",
                        "is called by CallsItself.all on this",
                        "move it to another bean"),
                shape(
                        CallsItselfInLambda.class,
                        "CallsItselfInLambda.run",
                        "CallsItselfInLambda.all on this",
                        "move it"),
                shape(RefersToItself.class, "RefersToItself.run", "is called by RefersToItself.all on this", "move it"),
                shape(SubclassCalls.class, "Gated.run", "is called by SubclassCalls.all on this", "move it"),
                shape(
                        SchedulesItself.class,
                        "SchedulesItself.run",
                        "is called by SchedulesItself.all on this",
                        "move it"),
                shape(AdviceBean.class, "AdviceBean.run", "has no proxy", "let it be no post-processor or advice"),
                shape(ProxiedElsewhere.class, "Gated.run", "bean 'gated' has no proxy", "before it is finished"),
                shape(NeededByProcessor.class, "Gated.run", "bean 'gated' has no proxy", "no post-processor of beans"),
                shape(Circle.class, "Left.run", "has no proxy", "let no circular reference"),
                shape(ManualSingleton.class, "Gated.run", "bean 'manual' has no proxy", "before it is finished"),
                shape(OnlyInterface.class, "OnlyInterface.run", "is in no interface", "proxyTargetClass = true"),
                shape(BadName.class, "''", "cannot be the name of an election", ""),
                shape(
                        FencedWithoutFence.class,
                        "@FencedTransactional(\"ledger\")",
                        "cannot be made to work",
                        "define a FencedSql"),
                shape(FencedPrivate.class, "FencedPrivate.run", "@FencedTransactional on", "make it public"),
                shape(UnworkableCalls.StaticDuty.class, "StaticDuty.run", "is static", "make it a method of the bean"),
                shape(UnworkableCalls.PrivateDuty.class, "PrivateDuty.run", "is private", "make it public"),
                shape(
                        UnworkableCalls.ParameterDuty.class,
                        "ParameterDuty.run",
                        "has parameters",
                        "take a Leadership, or nothing"),
                shape(UnworkableCalls.ReturningDuty.class, "ReturningDuty.run", "returns something", "return void"),
                shape(UnworkableCalls.AsyncDuty.class, "AsyncDuty.run", "is @Async", "remove @Async"),
                shape(
                        UnworkableCalls.BeanDuty.class,
                        "BeanDuty.made",
                        "is a @Bean method",
                        "annotate a method of the bean"),
                shape(UnworkableCalls.PrototypeDuty.class, "PrototypeDuty.run", "is not a singleton", "it runs once"),
                shape(
                        UnworkableCalls.FinalDutyOfProxy.class,
                        "FinalDutyOfProxy.work",
                        "is final, and a proxy of its bean",
                        "remove final"),
                shape(
                        UnworkableCalls.DutyOutsideInterface.class,
                        "DutyOutsideInterface.work",
                        "not part of the proxy",
                        "proxyTargetClass"),
                shape(
                        UnworkableCalls.TwoDuties.class,
                        "TwoDuties.",
                        "is the second duty of election e",
                        "call both from one duty"),
                shape(
                        UnworkableCalls.DutyWithoutFence.class,
                        "fencedBy = [nothing]",
                        "does not name fences",
                        "define a bean of type Fence"),
                shape(UnworkableCalls.DutyWithBadDrain.class, "cannot stand", "soon", ""),
                shape(
                        UnworkableCalls.ScheduledTwice.class,
                        "ScheduledTwice.run",
                        "would also run on every instance",
                        "remove @Scheduled"),
                shape(
                        UnworkableCalls.ParameterJob.class,
                        "ParameterJob.run",
                        "has parameters",
                        "take a CronRun, or nothing"),
                shape(UnworkableCalls.PrototypeJob.class, "PrototypeJob.run", "is not a singleton", "it runs once"),
                shape(
                        UnworkableCalls.JobWithoutTime.class,
                        "JobWithoutTime.run",
                        "has no schedule, or two",
                        "say one of cron and every"),
                shape(
                        UnworkableCalls.JobInNoZone.class,
                        "JobInNoZone.run",
                        "has a schedule that is none",
                        "Mars/Olympus"),
                shape(UnworkableCalls.JobInWrongTerms.class, "JobInWrongTerms.run", "schedule that is none", "at noon"),
                shape(UnworkableCalls.JobAfterEver.class, "JobAfterEver.run", "schedule that is none", "correct cron"),
                shape(
                        UnworkableCalls.HiddenDutyOfProxy.class,
                        "HiddenDuty.work",
                        "is package-private in another package than its bean",
                        "make it protected or public"),
                shape(UnworkableCalls.JobWithoutJournal.class, "needs a journal", "", "define one DataSource"),
                shape(
                        UnworkableCalls.JobOfLongApplication.class,
                        "needs a journal",
                        "'order-management-service-in-europe' of a journal is not",
                        "or a bean of type Journal"),
                shape(
                        UnworkableCalls.ActiveNothing.class,
                        "bean 'unworkableCalls.ActiveNothing'",
                        "is no org.springframework.context.Lifecycle",
                        "implement start()"),
                shape(
                        UnworkableCalls.ActiveByItself.class,
                        "bean 'unworkableCalls.ActiveByItself'",
                        "starts by itself",
                        "isAutoStartup() return false"),
                shape(
                        UnworkableCalls.ActivePrototype.class,
                        "bean 'unworkableCalls.ActivePrototype'",
                        "is not a singleton",
                        "make it one"));
    }

    private static Arguments shape(Class<?> bean, String where, String problem, String remedy) {
        return arguments(named(bean.getSimpleName(), bean), List.of(where, problem, remedy));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void a_shape_that_cannot_work_fails_the_start_with_its_sentence(Class<?> bean, List<String> sentence) {
        Throwable failure =
                catchThrowable(() -> Application.started(elections, "a", bean).close());

        assertThat(failure).as("the application has started").isNotNull();
        TenureConfigurationException refused = refusal(failure);
        assertThat(refused).as("the start failed otherwise: " + failure).isNotNull();
        assertThat(refused.getMessage()).contains(sentence);
        assertThat(refused.remedy()).contains(sentence.get(2));
    }

    private static TenureConfigurationException refusal(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof TenureConfigurationException refused) {
                return refused;
            }
        }
        return null;
    }

    static class Gated {
        @LeaderOnly("e")
        public void run() {}
    }

    static class StaticMethod {
        @LeaderOnly("e")
        static void run() {}
    }

    static class PrivateMethod {
        @LeaderOnly("e")
        private void run() {}
    }

    static class PrivateInSuperclass extends PrivateMethod {}

    static class HiddenInSuperclass extends HiddenGate {}

    static class FinalMethod {
        @LeaderOnly("e")
        public final void run() {}
    }

    static final class FinalClass {
        @LeaderOnly("e")
        public void run() {}
    }

    record RecordBean() {
        @LeaderOnly("e")
        public void run() {}
    }

    @Lazy
    static final class LazyFinalClass {
        @LeaderOnly("e")
        public void run() {}
    }

    @Scope("prototype")
    static final class PrototypeFinalClass {
        @LeaderOnly("e")
        public void run() {}
    }

    @Configuration
    static class BeanMethod {
        @Bean
        @LeaderOnly("e")
        Object made() {
            return new Object();
        }
    }

    static class Initialized implements InitializingBean {
        @Override
        @LeaderOnly("e")
        public void afterPropertiesSet() {}
    }

    static class Destroyed implements DisposableBean {
        @Override
        @LeaderOnly("e")
        public void destroy() {}
    }

    static class ReturnsFuture {
        @LeaderOnly("e")
        public CompletableFuture<String> run() {
            return new CompletableFuture<>();
        }
    }

    static class ReturnsPublisher {
        @LeaderOnly("e")
        public Flow.Publisher<String> run() {
            return subscriber -> {};
        }
    }

    static class Suspends {
        @LeaderOnly("e")
        public Object run(kotlin.coroutines.Continuation continuation) {
            return continuation;
        }
    }

    static class SkipsValue {
        @LeaderOnly(value = "e", otherwise = Otherwise.SKIP)
        public int run() {
            return 1;
        }
    }

    static class CallsItself extends Object {
        @LeaderOnly("e")
        public void run(String with, long much) {}

        public void all(List<String> names) {
            for (String name : names) {
                run(name.isEmpty() ? "none" : name, names.size());
            }
        }
    }

    static class CallsItselfInLambda {
        @LeaderOnly("e")
        public void run() {}

        public void all(List<String> names) {
            names.forEach(name -> run());
        }
    }

    static class RefersToItself {
        @LeaderOnly("e")
        public void run(String name) {}

        public void all(List<String> names) {
            names.forEach(this::run);
        }
    }

    static class SubclassCalls extends Gated {
        public void all() {
            run();
        }
    }

    static class SchedulesItself {
        @LeaderOnly("e")
        public void run() {}

        @Scheduled(fixedDelay = 1000)
        public void all() {
            run();
        }
    }

    static class AdviceBean implements org.aopalliance.aop.Advice {
        @LeaderOnly("e")
        public void run() {}
    }

    /** A proxy around the bean alone, made by a factory. */
    @Configuration
    static class ProxiedElsewhere {
        @Bean
        static FactoryBean<Gated> gated() {
            return new FactoryBean<>() {
                @Override
                public Gated getObject() {
                    return new Gated();
                }

                @Override
                public Class<?> getObjectType() {
                    return Gated.class;
                }
            };
        }

        @Bean
        static BeanPostProcessor unwrapping() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof Gated ? new Gated() : bean;
                }
            };
        }
    }

    @Configuration
    static class NeededByProcessor {
        @Bean
        static Gated gated() {
            return new Gated();
        }

        @Bean
        static EarlyProcessor processor(Gated gated) {
            return new EarlyProcessor(gated);
        }
    }

    record EarlyProcessor(Gated needed) implements BeanPostProcessor, PriorityOrdered {
        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Configuration
    static class Circle {
        @Bean
        Left left() {
            return new Left();
        }

        @Bean
        Right right() {
            return new Right();
        }
    }

    static class Left {
        @Autowired
        Right right;

        @Scheduled(fixedDelay = 1000)
        @LeaderOnly("e")
        public void run() {}
    }

    static class Right {
        @Autowired
        Left left;
    }

    @Configuration
    static class ManualSingleton {
        @Autowired
        void register(org.springframework.beans.factory.config.ConfigurableListableBeanFactory beans) {
            beans.registerSingleton("manual", new Gated());
        }
    }

    interface Other {
        void other();
    }

    static class OnlyInterface implements Other {
        @LeaderOnly("e")
        public void run() {}

        @Override
        public void other() {}
    }

    static class BadName {
        @LeaderOnly("")
        public void run() {}
    }

    static class FencedWithoutFence {
        @FencedTransactional("ledger")
        public void run() {}
    }

    static class FencedPrivate {
        @FencedTransactional("ledger")
        private void run() {}
    }
}
