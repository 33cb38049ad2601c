package dev.tenure.spring.support;

import dev.tenure.Leadership;
import dev.tenure.NotLeadingException;
import dev.tenure.fence.sql.FencedSql;
import dev.tenure.spring.FencedTransactionTemplate;
import dev.tenure.spring.FencedTransactional;
import dev.tenure.spring.Leaderships;
import dev.tenure.spring.TenureConfigurationException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.transaction.PlatformTransactionManager;

/** Runs calls in fenced transactions. A bean of its own, because its classes need JDBC and the fence, which an application may lack. */
final class FencedTransactionInterceptor implements MethodInterceptor {
    static final String NAME = "dev.tenure.spring.support.fencedTransactionInterceptor";

    private final BeanFactory beans;
    private final Map<String, FencedTransactionTemplate> templates = new ConcurrentHashMap<>();

    FencedTransactionInterceptor(BeanFactory beans) {
        this.beans = beans;
    }

    static MethodInterceptor in(BeanFactory beans) {
        return beans.getBean(NAME, MethodInterceptor.class);
    }

    /** @throws TenureConfigurationException if there is no such fence, or nothing to make transactions with */
    static void require(BeanFactory beans, String bean) {
        beans.getBean(NAME, FencedTransactionInterceptor.class).template(bean);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Class<?> target = Objects.requireNonNull(call.getThis(), "a fenced method without a target")
                .getClass();
        FencedTransactional annotation = GateAdvisor.of(FencedTransactional.class, call.getMethod(), target);
        Leadership leadership = Leaderships.find()
                .orElseThrow(() -> new NotLeadingException(Shape.nameOf(call.getMethod())
                        + " was called without a leadership: call it from a @LeaderDuty or a @LeaderOnly method, or put"
                        + " @LeaderOnly beside @FencedTransactional"));
        return template(annotation.value()).<@Nullable Object, Throwable>execute(leadership, call::proceed);
    }

    private FencedTransactionTemplate template(String bean) {
        return templates.computeIfAbsent(AnnotationScanner.resolve(beans, bean), this::find);
    }

    private FencedTransactionTemplate find(String bean) {
        try {
            Object found = beans.getBean(bean);
            if (found instanceof FencedTransactionTemplate template) {
                return template;
            }
            if (found instanceof FencedSql fence) {
                return new FencedTransactionTemplate(
                        beans.getBean(PlatformTransactionManager.class), beans.getBean(DataSource.class), fence);
            }
            throw new TenureConfigurationException(
                    "@FencedTransactional(\"" + bean + "\") names a bean of type "
                            + found.getClass().getName(),
                    "name a FencedSql or a FencedTransactionTemplate");
        } catch (BeansException missing) {
            throw new TenureConfigurationException(
                    "@FencedTransactional(\"" + bean + "\") cannot be made to work",
                    "define a FencedSql of that name, and one DataSource with one transaction manager; with several, define a"
                            + " FencedTransactionTemplate (" + missing.getMessage() + ")",
                    missing);
        }
    }
}
