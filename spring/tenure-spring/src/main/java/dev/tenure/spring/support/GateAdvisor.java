package dev.tenure.spring.support;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Advises the methods that have an annotation, themselves or by what they override. */
final class GateAdvisor extends StaticMethodMatcherPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    private final Class<? extends Annotation> annotation;

    GateAdvisor(Class<? extends Annotation> annotation, MethodInterceptor interceptor, int order) {
        super(interceptor);
        this.annotation = annotation;
        setOrder(order);
    }

    Class<? extends Annotation> annotation() {
        return annotation;
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return AnnotatedElementUtils.hasAnnotation(AopUtils.getMostSpecificMethod(method, targetClass), annotation)
                || AnnotatedElementUtils.hasAnnotation(method, annotation);
    }

    /** The annotation of the method that is called, with that of its class before that of an interface. */
    static <A extends Annotation> A of(Class<A> annotation, Method method, Class<?> targetClass) {
        A found = AnnotatedElementUtils.findMergedAnnotation(
                AopUtils.getMostSpecificMethod(method, targetClass), annotation);
        found = found != null ? found : AnnotatedElementUtils.findMergedAnnotation(method, annotation);
        if (found == null) {
            throw new IllegalStateException(Shape.nameOf(method) + " has no @" + annotation.getSimpleName());
        }
        return found;
    }
}
