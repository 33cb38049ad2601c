package dev.tenure.spring.support;

import dev.tenure.Campaign;
import dev.tenure.Fence;
import dev.tenure.Leadership;
import dev.tenure.spring.ActiveWhileLeading;
import dev.tenure.spring.FencedScheduled;
import dev.tenure.spring.FencedTransactional;
import dev.tenure.spring.LeaderDuty;
import dev.tenure.spring.LeaderOnly;
import dev.tenure.spring.TenureConfigurationException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the annotations in every bean, and fails the start of the application where one of them would silently do nothing. It looks three times,
 * because no single moment shows everything:
 *
 * <ul>
 *   <li>before a bean is initialized, at its class: a shape that cannot be proxied is refused before Spring tries to;
 *   <li>after a bean was initialized, at what Spring made of it: it must be a proxy with our advice. A bean that others were given before it was
 *       finished (a circular reference) is none, and {@code @Scheduled} would call it;
 *   <li>when all singletons exist, at all definitions: classes of beans that are not created yet, and beans that were created before this
 *       post-processor. Only now are elections known, and beans that must stand are created even if they are lazy.
 * </ul>
 */
final class AnnotationScanner implements BeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware, Ordered {
    private static final Set<Class<? extends Annotation>> INTERCEPTED =
            Set.of(LeaderOnly.class, FencedTransactional.class);

    private final Map<Class<?>, List<Gated>> known = new ConcurrentHashMap<>();
    private @Nullable ConfigurableListableBeanFactory factory;
    private boolean hasJobs;

    /** A method that must be intercepted for its annotation to work. */
    private record Gated(Class<? extends Annotation> annotation, Method method) {}

    @Override
    public void setBeanFactory(BeanFactory beans) {
        factory = (ConfigurableListableBeanFactory) beans;
    }

    private ConfigurableListableBeanFactory beans() {
        if (factory == null) {
            throw new IllegalStateException("not in a bean factory");
        }
        return factory;
    }

    /** After the auto-proxy creator. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        gated(AopProxyUtils.ultimateTargetClass(bean));
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        requireAdvised(bean, name);
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        LedElections elections = beans().getBean(LedElections.class);
        for (String name : beans().getBeanNamesForType(Object.class)) {
            Class<?> type = typeOf(name);
            if (type == null) {
                continue;
            }
            for (Gated gate : gated(type)) {
                register(gate, elections);
            }
            if (!gated(type).isEmpty() && isSingleton(name)) {
                requireAdvised(beans().getBean(name), name);
            }
            methods(type, LeaderDuty.class).forEach(method -> registerDuty(name, type, method, elections));
            methods(type, FencedScheduled.class).forEach(method -> registerJob(name, type, method, elections));
            ActiveWhileLeading active = beans().findAnnotationOnBean(name, ActiveWhileLeading.class);
            if (active != null) {
                registerService(name, active, elections);
            }
        }
    }

    private @Nullable Class<?> typeOf(String name) {
        Object bean = beans().getSingleton(name);
        Class<?> type = bean != null && !(bean instanceof FactoryBean)
                ? AopProxyUtils.ultimateTargetClass(bean) // whatever made the proxy
                : AutoProxyUtils.determineTargetClass(beans(), name);
        type = type != null ? type : beans().getType(name);
        return type == null || AopInfrastructureBean.class.isAssignableFrom(type) || isScopedProxy(name) ? null : type;
    }

    /** Its target is a definition of its own, which is looked at. */
    private boolean isScopedProxy(String name) {
        return beans().containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(name));
    }

    private boolean isSingleton(String name) {
        return !beans().containsBeanDefinition(name)
                || beans().getMergedBeanDefinition(name).isSingleton();
    }

    // ---- what is intercepted ----

    /** The methods of this class that must be intercepted, all of which can be. */
    private List<Gated> gated(Class<?> type) {
        List<Gated> found = known.get(type);
        if (found == null) {
            found = INTERCEPTED.stream()
                    .flatMap(annotation -> methods(type, annotation).stream().map(one -> new Gated(annotation, one)))
                    .toList();
            found.forEach(gate -> Shape.requireInterceptable(gate.annotation, type, gate.method));
            known.put(type, found);
        }
        return found;
    }

    private static Set<Method> methods(Class<?> type, Class<? extends Annotation> annotation) {
        if (!AnnotationUtils.isCandidateClass(type, annotation)) {
            return Set.of();
        }
        return MethodIntrospector.selectMethods(
                type, (Method method) -> !method.isBridge() && AnnotatedElementUtils.hasAnnotation(method, annotation));
    }

    private void register(Gated gate, LedElections elections) {
        LeaderOnly only = AnnotatedElementUtils.findMergedAnnotation(gate.method, LeaderOnly.class);
        if (gate.annotation == LeaderOnly.class && only != null) {
            elections.add(resolve(beans(), only.value())).fencedBy(fences(only.fencedBy()));
        }
        FencedTransactional fenced = AnnotatedElementUtils.findMergedAnnotation(gate.method, FencedTransactional.class);
        if (gate.annotation == FencedTransactional.class && fenced != null) {
            if (!beans().containsBean(FencedTransactionInterceptor.NAME)) {
                throw Shape.refused(
                        gate.annotation,
                        gate.method,
                        "needs classes that are missing",
                        "add tenure-fence-sql and spring-jdbc");
            }
            FencedTransactionInterceptor.require(beans(), fenced.value());
        }
    }

    private void requireAdvised(Object bean, String name) {
        List<Gated> gates = gated(AopProxyUtils.ultimateTargetClass(bean));
        if (gates.isEmpty() || bean instanceof AopInfrastructureBean || isMock(bean)) {
            return;
        }
        for (Gated gate : gates) {
            if (!isAdvised(bean, gate.annotation)) {
                throw Shape.refused(
                        gate.annotation,
                        gate.method,
                        "is not intercepted, because bean '" + name + "' has no proxy",
                        "let no circular reference and no post-processor of beans need it before it is finished, and let"
                                + " it be no post-processor or advice itself");
            }
            if (Proxy.isProxyClass(bean.getClass()) && !isInInterface(bean.getClass(), gate.method)) {
                throw Shape.refused(
                        gate.annotation,
                        gate.method,
                        "is in no interface, and the proxy of bean '" + name + "' has nothing but its interfaces",
                        "declare it in an interface, or proxy classes (proxyTargetClass = true)");
            }
        }
    }

    /** A test replaced the bean: it does nothing that could be gated. */
    private static boolean isMock(Object bean) {
        try {
            Class<?> mockito =
                    ClassUtils.forName("org.mockito.Mockito", bean.getClass().getClassLoader());
            Object details = mockito.getMethod("mockingDetails", Object.class).invoke(null, bean);
            Class<?> type = ClassUtils.forName("org.mockito.MockingDetails", mockito.getClassLoader());
            return Boolean.TRUE.equals(type.getMethod("isMock").invoke(details));
        } catch (ReflectiveOperationException | LinkageError withoutMockito) {
            return false;
        }
    }

    private static boolean isAdvised(@Nullable Object bean, Class<? extends Annotation> annotation) {
        Object current = bean;
        while (current instanceof Advised advised) {
            if (Arrays.stream(advised.getAdvisors())
                    .anyMatch(one -> one instanceof GateAdvisor gate && gate.annotation() == annotation)) {
                return true;
            }
            current = AopProxyUtils.getSingletonTarget(current);
        }
        return false;
    }

    private static boolean isInInterface(Class<?> proxy, Method method) {
        return Arrays.stream(proxy.getInterfaces())
                .flatMap(one -> Arrays.stream(one.getMethods()))
                .anyMatch(one -> one.getName().equals(method.getName())
                        && Arrays.equals(one.getParameterTypes(), method.getParameterTypes()));
    }

    // ---- what stands ----

    private void registerDuty(String name, Class<?> type, Method method, LedElections elections) {
        Shape.requireCallable(LeaderDuty.class, type, method, Leadership.class);
        BeanMethod duty = methodOf(LeaderDuty.class, name, method);
        LeaderDuty annotation = GateAdvisor.of(LeaderDuty.class, method, type);
        LedElection election = elections.add(resolve(beans(), annotation.election()));
        BeanMethod other = election.duty();
        if (other != null) {
            throw Shape.refused(
                    LeaderDuty.class,
                    method,
                    "is the second duty of election " + election.name() + ", beside " + other,
                    "call both from one duty, or name another election");
        }
        election.perform(duty);
        election.fencedBy(fences(annotation.fencedBy()));
        elections.configure(election.name(), campaign -> settings(annotation, campaign));
    }

    private void registerJob(String name, Class<?> type, Method method, LedElections elections) {
        if (!beans().containsBean(ScheduledJobs.NAME)) {
            throw Shape.refused(FencedScheduled.class, method, "needs classes that are missing", "add tenure-patterns");
        }
        Shape.requireCallable(FencedScheduled.class, type, method, ScheduledJobs.parameter());
        ScheduledJobs jobs = ScheduledJobs.in(beans());
        jobs.add(GateAdvisor.of(FencedScheduled.class, method, type), methodOf(FencedScheduled.class, name, method));
        if (!hasJobs) {
            hasJobs = true;
            elections.also(jobs::start);
        }
    }

    /** The method as it is called on the bean, which may be a proxy. */
    private BeanMethod methodOf(Class<? extends Annotation> annotation, String name, Method method) {
        if (!isSingleton(name)) {
            throw Shape.refused(
                    annotation,
                    method,
                    "is in bean '" + name + "', which is not a singleton",
                    "make the bean a singleton: it runs once");
        }
        Object bean = beans().getBean(name);
        if (AopUtils.isCglibProxy(bean) && Modifier.isFinal(method.getModifiers())) {
            throw Shape.refused(
                    annotation, method, "is final, and its bean is a proxy", "remove final; in Kotlin add open");
        }
        try {
            Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
            invocable.setAccessible(true);
            return new BeanMethod(bean, invocable);
        } catch (IllegalStateException refused) {
            throw Shape.refused(
                    annotation,
                    method,
                    "is not part of the proxy of its bean",
                    "declare it in an interface of the bean, or proxy classes (proxyTargetClass = true)");
        }
    }

    private Campaign settings(LeaderDuty annotation, Campaign campaign) {
        Campaign changed = campaign.onOverdue(annotation.onOverdue());
        if (!annotation.drain().isEmpty()) {
            changed = changed.drainWithin(duration(annotation.drain()));
        }
        if (!annotation.coolDown().isEmpty()) {
            changed = changed.coolDown(duration(annotation.coolDown()));
        }
        return annotation.again() ? changed.again() : changed;
    }

    private Duration duration(String text) {
        return DurationFormatterUtils.detectAndParse(resolve(beans(), text));
    }

    private List<Fence> fences(String[] names) {
        try {
            return Arrays.stream(names)
                    .map(name -> beans().getBean(resolve(beans(), name), Fence.class))
                    .toList();
        } catch (BeansException missing) {
            throw new TenureConfigurationException(
                    "fencedBy = " + Arrays.toString(names) + " does not name fences",
                    "define a bean of type Fence for each name (" + missing.getMessage() + ")",
                    missing);
        }
    }

    private void registerService(String name, ActiveWhileLeading annotation, LedElections elections) {
        if (!isSingleton(name)) {
            throw refused(name, "the bean is not a singleton", "make it one");
        }
        if (!(beans().getBean(name) instanceof Lifecycle service)) {
            throw refused(
                    name,
                    "the bean is no org.springframework.context.Lifecycle, so nothing can start and stop it",
                    "implement start(), stop() and isRunning()");
        }
        if ((service instanceof SmartLifecycle smart && smart.isAutoStartup()) || service.isRunning()) {
            throw refused(
                    name,
                    "the bean starts by itself, on every instance",
                    "let isAutoStartup() return false, and start it nowhere");
        }
        LedElection election = elections.add(resolve(beans(), annotation.value()));
        election.start(service);
        election.fencedBy(fences(annotation.fencedBy()));
    }

    private static TenureConfigurationException refused(String name, String problem, String remedy) {
        return new TenureConfigurationException(
                "@ActiveWhileLeading on bean '" + name + "' cannot work: " + problem, remedy);
    }

    /** With placeholders replaced. */
    static String resolve(BeanFactory beans, String text) {
        String resolved = beans instanceof ConfigurableBeanFactory known ? known.resolveEmbeddedValue(text) : text;
        return resolved == null ? text : resolved;
    }
}
