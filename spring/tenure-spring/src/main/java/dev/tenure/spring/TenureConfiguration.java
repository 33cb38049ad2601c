// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.Campaign;
import dev.tenure.Tenure;
import dev.tenure.spring.LeaderOnly.Otherwise;
import java.lang.annotation.Annotation;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Registers what stands behind the annotations. What intercepts is infrastructure, so that Spring's own auto-proxy creator takes it, with
 * AspectJ or without. Both advisors come before {@code @Transactional}, which is last unless told otherwise.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
@Import(TenureConfiguration.AutoProxyCreator.class)
public class TenureConfiguration {
    static final boolean HAS_JDBC = ClassUtils.isPresent(
            "org.springframework.jdbc.datasource.DataSourceUtils", TenureConfiguration.class.getClassLoader());

    /** Spring's own. */
    static final class AutoProxyCreator implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnnotationScanner tenureAnnotationScanner(ConfigurableListableBeanFactory beans) {
        return new AnnotationScanner(beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor tenureLeaderOnlyAdvisor(ConfigurableBeanFactory beans) {
        return advisor(LeaderOnly.class, call -> gate(call, beans), Ordered.LOWEST_PRECEDENCE - 200);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor tenureFencedTransactionalAdvisor(ConfigurableBeanFactory beans) {
        MethodInterceptor fenced =
                HAS_JDBC ? new FencedTransactionTemplate.Interceptor(beans) : MethodInvocation::proceed;
        return advisor(FencedTransactional.class, fenced, Ordered.LOWEST_PRECEDENCE - 100);
    }

    /** Lets a call in while this process leads. */
    private static @Nullable Object gate(MethodInvocation call, ConfigurableBeanFactory beans) throws Throwable {
        LeaderOnly gate = annotationOf(LeaderOnly.class, call);
        String election = resolve(beans, gate.value());
        TenureTemplate template = beans.getBean(TenureTemplate.class);
        if (gate.otherwise() == Otherwise.THROW || call.getMethod().getReturnType() != void.class) {
            return template.<@Nullable Object, Throwable>leading(election, leadership -> call.proceed());
        }
        template.<Throwable>ifLeading(election, leadership -> call.proceed());
        return null;
    }

    private static DefaultPointcutAdvisor advisor(
            Class<? extends Annotation> annotation, MethodInterceptor interceptor, int order) {
        DefaultPointcutAdvisor advisor =
                new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, annotation, true), interceptor);
        advisor.setOrder(order);
        return advisor;
    }

    /** The name of the bean that advises methods with this annotation. */
    static String advisorOf(Annotation annotation) {
        return "tenure" + annotation.annotationType().getSimpleName() + "Advisor";
    }

    /** The annotation of the method that is called, with that of its class before that of an interface. */
    static <A extends Annotation> A annotationOf(Class<A> annotation, MethodInvocation call) {
        Class<?> target = Objects.requireNonNull(call.getThis(), "a call without a target")
                .getClass();
        return Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(
                AopUtils.getMostSpecificMethod(call.getMethod(), target), annotation));
    }

    /** What an annotation says, with placeholders replaced. */
    static String resolve(ConfigurableBeanFactory beans, String text) {
        return Objects.requireNonNullElse(beans.resolveEmbeddedValue(text), text);
    }

    @Bean
    TenureTemplate tenureTemplate(TenureLifecycle elections) {
        return new TenureTemplate(elections);
    }

    @Bean
    @Lazy(false)
    TenureLifecycle tenureLifecycle(ApplicationContext context, Tenure tenure, ObjectProvider<Campaign> campaigns) {
        return new TenureLifecycle(context, tenure, campaigns);
    }
}
