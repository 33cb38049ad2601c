// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.Fence;
import dev.tenure.Tenure;
import dev.tenure.patterns.Cron;
import dev.tenure.patterns.CronJob;
import dev.tenure.patterns.Journal;
import dev.tenure.patterns.Schedule;
import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.mockito.Mockito;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the annotations in every bean, and fails the start of the application where one of them would silently do nothing. It looks three times,
 * because no single moment shows everything:
 *
 * <ul>
 *   <li>before a bean is initialized, at its class: a shape that cannot work is refused before Spring tries to proxy it;
 *   <li>after a bean was initialized, at what Spring made of it: it must be a proxy with our advice. A bean that others were given before it was
 *       finished (a circular reference) is none, and {@code @Scheduled} would call it;
 *   <li>when all singletons exist, at all definitions: classes of beans that are not created yet, and beans that were created before this
 *       post-processor. Only now are elections known, and beans that must stand are created even if they are lazy.
 * </ul>
 */
final class AnnotationScanner implements BeanPostProcessor, SmartInitializingSingleton, Ordered {
    private static final boolean MOCKS =
            ClassUtils.isPresent("org.mockito.Mockito", AnnotationScanner.class.getClassLoader());

    private final Map<Class<?>, List<Shape>> known = new ConcurrentHashMap<>();
    private final ConfigurableListableBeanFactory beans;
    private final List<Consumer<Cron>> jobs = new ArrayList<>();

    AnnotationScanner(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** After the auto-proxy creator. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        shapes(AopProxyUtils.ultimateTargetClass(bean));
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        requireAdvised(bean, name);
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        TenureLifecycle elections = beans.getBean(TenureLifecycle.class);
        for (String name : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = typeOf(name);
            if (type != null) {
                shapes(type).forEach(shape -> register(name, shape, elections));
                ActiveWhileLeading active = beans.findAnnotationOnBean(name, ActiveWhileLeading.class);
                if (active != null) {
                    elections.add(resolve(active.value())).start(service(name));
                    elections.add(resolve(active.value())).fencedBy(fences(active.fencedBy()));
                }
            }
        }
    }

    private @Nullable Class<?> typeOf(String name) {
        Object bean = beans.getSingleton(name);
        Class<?> type = bean != null && !(bean instanceof FactoryBean)
                ? AopProxyUtils.ultimateTargetClass(bean) // whatever made the proxy
                : AutoProxyUtils.determineTargetClass(beans, name);
        type = type != null ? type : beans.getType(name);
        // The target of a scoped proxy is a definition of its own, which is looked at.
        boolean isScopedProxy = beans.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(name));
        return type == null || isScopedProxy || AopInfrastructureBean.class.isAssignableFrom(type) ? null : type;
    }

    private boolean isSingleton(String name) {
        return !beans.containsBeanDefinition(name)
                || beans.getMergedBeanDefinition(name).isSingleton();
    }

    /** The annotated methods of this class, all of which have shapes that can work. */
    private List<Shape> shapes(Class<?> type) {
        List<Shape> found = known.get(type);
        if (found == null) {
            found = Shape.of(type);
            found.forEach(Shape::requireWorkable);
            known.put(type, found);
        }
        return found;
    }

    private void register(String name, Shape shape, TenureLifecycle elections) {
        if (shape.isIntercepted() && isSingleton(name)) {
            requireAdvised(beans.getBean(name), name);
        }
        if (shape.annotation() instanceof LeaderOnly only) {
            elections.add(resolve(only.value())).fencedBy(fences(only.fencedBy()));
        } else if (shape.annotation() instanceof FencedTransactional fenced) {
            if (!TenureConfiguration.HAS_JDBC) {
                throw shape.refused("needs classes that are missing", "add spring-jdbc");
            }
            Advisor advisor = beans.getBean(TenureConfiguration.advisorOf(fenced), Advisor.class);
            ((FencedTransactionTemplate.Interceptor) advisor.getAdvice()).template(resolve(fenced.value()));
        } else if (shape.annotation() instanceof LeaderDuty duty) {
            LedElection election = elections.add(resolve(duty.election()));
            election.duty().ifPresent(other -> {
                throw shape.refused(
                        "is the second duty of election " + election.name() + ", beside " + other,
                        "call both from one duty, or name another election");
            });
            election.perform(
                    methodOf(name, shape),
                    campaign -> duty.drain().isEmpty() ? campaign : campaign.drainWithin(duration(duty.drain())));
            election.fencedBy(fences(duty.fencedBy()));
        } else if (shape.annotation() instanceof FencedScheduled schedule) {
            if (jobs.isEmpty()) {
                elections.also(this::startJobs);
            }
            LedElection.BeanMethod method = methodOf(name, shape);
            Schedule times = scheduleOf(schedule, shape);
            jobs.add(cron -> addJob(schedule, times, method, cron));
        }
    }

    // ---- what is intercepted ----

    private void requireAdvised(Object bean, String name) {
        List<Shape> gates = shapes(AopProxyUtils.ultimateTargetClass(bean)).stream()
                .filter(Shape::isIntercepted)
                .toList();
        if (gates.isEmpty() || bean instanceof AopInfrastructureBean) {
            return;
        }
        if (MOCKS && Mockito.mockingDetails(bean).isMock()) {
            return; // a test replaced the bean: it does nothing that could be gated
        }
        for (Shape gate : gates) {
            Object advisor = beans.getBean(TenureConfiguration.advisorOf(gate.annotation()));
            if (!isAdvised(bean, advisor)) {
                throw gate.refused(
                        "is not intercepted, because bean '" + name + "' has no proxy",
                        "let no circular reference and no post-processor of beans need it before it is finished, and let"
                                + " it be no post-processor or advice itself");
            }
            invocable(bean, gate);
        }
    }

    private static boolean isAdvised(@Nullable Object bean, Object advisor) {
        return bean instanceof Advised advised
                && (Arrays.asList(advised.getAdvisors()).contains(advisor)
                        || isAdvised(AopProxyUtils.getSingletonTarget(bean), advisor));
    }

    // ---- what is called and started ----

    /** The method as it is called on the bean, which may be a proxy. */
    private LedElection.BeanMethod methodOf(String name, Shape shape) {
        if (!isSingleton(name)) {
            throw shape.refused(
                    "is in bean '" + name + "', which is not a singleton", "make the bean a singleton: it runs once");
        }
        Object bean = beans.getBean(name);
        if (AopUtils.isCglibProxy(bean)) {
            shape.requireOverridable();
        }
        Method invocable = invocable(bean, shape);
        invocable.setAccessible(true);
        return new LedElection.BeanMethod(bean, invocable);
    }

    private static Method invocable(Object bean, Shape shape) {
        try {
            return AopUtils.selectInvocableMethod(shape.method(), bean.getClass());
        } catch (IllegalStateException missing) {
            throw shape.refused(
                    "is in no interface, and is not part of the proxy of its bean, which has nothing else",
                    "declare it in an interface of the bean, or proxy classes (proxyTargetClass = true)");
        }
    }

    private String resolve(String text) {
        return TenureConfiguration.resolve(beans, text);
    }

    private Duration duration(String text) {
        return DurationFormatterUtils.detectAndParse(resolve(text));
    }

    private List<Fence> fences(String[] names) {
        return TenureConfigurationException.refusing(
                "fencedBy = " + Arrays.toString(names) + " does not name fences",
                "define a bean of type Fence for each name",
                () -> Arrays.stream(names)
                        .map(name -> beans.getBean(resolve(name), Fence.class))
                        .toList());
    }

    private Lifecycle service(String name) {
        String subject = "@ActiveWhileLeading on bean '" + name + "' cannot work: the bean ";
        if (!isSingleton(name)) {
            throw new TenureConfigurationException(subject + "is not a singleton", "make it one");
        }
        if (!(beans.getBean(name) instanceof Lifecycle service)) {
            throw new TenureConfigurationException(
                    subject + "is no " + Lifecycle.class.getName(), "implement start(), stop() and isRunning()");
        }
        if ((service instanceof SmartLifecycle smart && smart.isAutoStartup()) || service.isRunning()) {
            throw new TenureConfigurationException(
                    subject + "starts by itself, on every instance",
                    "let isAutoStartup() return false, and start it nowhere");
        }
        return service;
    }

    // ---- jobs ----

    /** A new one each time the application stands: what was closed does not start again. Returns what ends it. */
    private Runnable startJobs() {
        Cron cron = Cron.on(beans.getBean(Tenure.class), journal());
        jobs.forEach(job -> job.accept(cron));
        return cron.start()::close;
    }

    private void addJob(FencedScheduled schedule, Schedule times, LedElection.BeanMethod method, Cron cron) {
        String name = schedule.job().isEmpty() ? method.toString() : resolve(schedule.job());
        CronJob job = cron.at(name, times).missed(schedule.missed()).overlap(schedule.overlap());
        job = schedule.timeout().isEmpty() ? job : job.timeout(duration(schedule.timeout()));
        job.fire(run -> {
            try (Leaderships.Scope scope = Leaderships.open(run.leadership())) {
                method.invoke(run);
            }
        });
    }

    private Schedule scheduleOf(FencedScheduled schedule, Shape shape) {
        if (schedule.cron().isEmpty() == schedule.every().isEmpty()) {
            throw shape.refused("has no schedule, or two", "say one of cron and every");
        }
        try {
            return schedule.cron().isEmpty()
                    ? Schedule.every(duration(schedule.every()))
                    : Schedule.cron(resolve(schedule.cron()), ZoneId.of(resolve(schedule.zone())));
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException wrong) {
            throw shape.refused(
                    "has a schedule that is none", "correct cron, every or zone (" + wrong.getMessage() + ")");
        }
    }

    /** Applications that share a database have journals of their own. */
    private Journal journal() {
        String name = beans.getBean(Environment.class).getProperty("spring.application.name", "main");
        return TenureConfigurationException.refusing(
                "@FencedScheduled needs a journal",
                "define one DataSource, or a bean of type Journal",
                () -> beans.getBeanProvider(Journal.class)
                        .getIfAvailable(() ->
                                Journal.jdbc(beans.getBean(DataSource.class)).named(name)));
    }
}
