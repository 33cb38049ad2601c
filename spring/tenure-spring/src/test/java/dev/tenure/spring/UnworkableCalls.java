// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.Leadership;
import dev.tenure.spring.elsewhere.HiddenDuty;
import java.util.Map;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;

/** What is called or started, in shapes that cannot work: for {@link UnworkableShapesTest}. */
final class UnworkableCalls {
    private UnworkableCalls() {}

    static class StaticDuty {
        @LeaderDuty(election = "e")
        static void run() {}
    }

    static class PrivateDuty {
        @LeaderDuty(election = "e")
        private void run() {}
    }

    static class ParameterDuty {
        @LeaderDuty(election = "e")
        void run(Leadership leadership, String more) {}
    }

    static class ReturningDuty {
        @LeaderDuty(election = "e")
        int run() {
            return 1;
        }
    }

    static class AsyncDuty {
        @Async
        @LeaderDuty(election = "e")
        public void run() {}
    }

    @Configuration
    static class BeanDuty {
        @Bean
        @LeaderDuty(election = "e")
        Object made() {
            return new Object();
        }
    }

    @Scope("prototype")
    static class PrototypeDuty {
        @LeaderDuty(election = "e")
        void run() {}
    }

    static class FinalDutyOfProxy {
        @LeaderDuty(election = "e")
        public final void work() {}

        @LeaderOnly("other")
        public void run() {}
    }

    @Configuration
    static class DutyOutsideInterface implements UnworkableShapesTest.Other {
        @LeaderDuty(election = "e")
        public void work() {}

        @Override
        public void other() {}

        @Bean
        static BeanPostProcessor proxyByInterface() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof DutyOutsideInterface ? new ProxyFactory(bean).getProxy() : bean;
                }
            };
        }
    }

    static class TwoDuties {
        @LeaderDuty(election = "e")
        void one() {}

        @LeaderDuty(election = "e")
        void two() {}
    }

    static class DutyWithoutFence {
        @LeaderDuty(election = "e", fencedBy = "nothing")
        void run() {}
    }

    static class DutyWithBadDrain {
        @LeaderDuty(election = "e", drain = "soon")
        void run() {}
    }

    static class ScheduledTwice {
        @Scheduled(fixedDelay = 1000)
        @FencedScheduled(every = "1s")
        public void run() {}
    }

    static class ParameterJob {
        @FencedScheduled(every = "1s")
        void run(Leadership leadership) {}
    }

    @Scope("prototype")
    static class PrototypeJob {
        @FencedScheduled(every = "1s")
        void run() {}
    }

    @Configuration
    static class JobWithoutTime {
        @Bean
        dev.tenure.patterns.Journal journal() {
            return dev.tenure.patterns.Journal.jdbc(new org.h2.jdbcx.JdbcDataSource());
        }

        @FencedScheduled
        public void run() {}
    }

    static class JobInNoZone {
        @FencedScheduled(cron = "0 6 * * *", zone = "Mars/Olympus")
        void run() {}
    }

    static class JobInWrongTerms {
        @FencedScheduled(cron = "at noon")
        void run() {}
    }

    static class JobAfterEver {
        @FencedScheduled(every = "PT2562047788015215H")
        void run() {}
    }

    static class HiddenDutyOfProxy extends HiddenDuty {
        @LeaderOnly("other")
        public void run() {}
    }

    static class JobWithoutJournal {
        @FencedScheduled(every = "1s")
        void run() {}
    }

    static class JobOfLongApplication extends JobWithoutJournal {
        @Bean
        static DataSource database() {
            return new JdbcDataSource();
        }

        @Autowired
        void name(ConfigurableEnvironment environment) {
            Map<String, Object> name = Map.of("spring.application.name", "order-management-service-in-europe");
            environment.getPropertySources().addFirst(new MapPropertySource("name", name));
        }
    }

    @ActiveWhileLeading("e")
    static class ActiveNothing {}

    @ActiveWhileLeading("e")
    static class ActiveByItself implements SmartLifecycle {
        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    @Scope("prototype")
    @ActiveWhileLeading("e")
    static class ActivePrototype implements Lifecycle {
        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
