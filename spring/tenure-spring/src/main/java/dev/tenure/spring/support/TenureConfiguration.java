package dev.tenure.spring.support;

import dev.tenure.Tenure;
import dev.tenure.spring.CampaignCustomizer;
import dev.tenure.spring.FencedTransactional;
import dev.tenure.spring.LeaderOnly;
import dev.tenure.spring.TenureLifecycle;
import dev.tenure.spring.TenureLifecycle.StandAt;
import dev.tenure.spring.TenureTemplate;
import java.util.concurrent.Executor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Registers what stands behind the annotations. What intercepts is infrastructure, so that Spring's own auto-proxy creator takes it, with
 * AspectJ or without. Both advisors come before {@code @Transactional}, which is last unless told otherwise.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(TenureConfiguration.Interception.class)
public class TenureConfiguration {
    /** The name of a bean of type {@code Executor} that ends several elections side by side; a thread for each unless there is one. */
    public static final String CLOSING_EXECUTOR = "tenureClosingExecutor";

    static final int LEADER_ONLY_ORDER = Ordered.LOWEST_PRECEDENCE - 200;
    static final int FENCED_TRANSACTIONAL_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** Spring's auto-proxy creator, and what needs classes which an application may lack. */
    static final class Interception implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (isPresent("dev.tenure.fence.sql.FencedSql")
                    && isPresent("org.springframework.jdbc.datasource.DataSourceUtils")) {
                register(FencedTransactionInterceptor.NAME, FencedTransactionInterceptor.class, registry);
            }
            if (isPresent("dev.tenure.patterns.Cron")) {
                register(ScheduledJobs.NAME, ScheduledJobs.class, registry);
            }
        }

        private static boolean isPresent(String type) {
            return ClassUtils.isPresent(type, TenureConfiguration.class.getClassLoader());
        }

        private static void register(String name, Class<?> type, BeanDefinitionRegistry registry) {
            RootBeanDefinition definition = new RootBeanDefinition(type);
            definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            registry.registerBeanDefinition(name, definition);
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnnotationScanner tenureAnnotationScanner() {
        return new AnnotationScanner();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GateAdvisor tenureLeaderOnlyAdvisor(BeanFactory beans) {
        return new GateAdvisor(LeaderOnly.class, new LeaderOnlyInterceptor(beans), LEADER_ONLY_ORDER);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static GateAdvisor tenureFencedTransactionalAdvisor(BeanFactory beans) {
        return new GateAdvisor(
                FencedTransactional.class,
                call -> FencedTransactionInterceptor.in(beans).invoke(call),
                FENCED_TRANSACTIONAL_ORDER);
    }

    @Bean
    LedElections tenureElections(ObjectProvider<CampaignCustomizer> customizers, BeanFactory beans) {
        Executor closing = beans.containsBean(CLOSING_EXECUTOR)
                ? beans.getBean(CLOSING_EXECUTOR, Executor.class)
                : new SimpleAsyncTaskExecutor("tenure-close-");
        return new LedElections(customizers.orderedStream().toList(), closing);
    }

    @Bean
    TenureTemplate tenureTemplate(LedElections elections) {
        return new TenureTemplate(elections);
    }

    @Bean
    @Lazy(false)
    TenureLifecycle tenureLifecycle(
            ApplicationContext context, Tenure tenure, LedElections elections, ObjectProvider<StandAt> moment) {
        StandAt when = moment.getIfAvailable(() -> StandAt.REFRESHED);
        return new TenureLifecycle(context, tenure, elections, when == StandAt.REFRESHED);
    }
}
