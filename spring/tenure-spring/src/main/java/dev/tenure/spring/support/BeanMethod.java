package dev.tenure.spring.support;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** A method of a bean that takes one argument or none, called through the bean, so that other advice applies. */
record BeanMethod(Object bean, Method method) {
    void invoke(Object argument) throws Exception {
        try {
            if (method.getParameterCount() == 0) {
                method.invoke(bean);
            } else {
                method.invoke(bean, argument);
            }
        } catch (InvocationTargetException failure) {
            if (failure.getCause() instanceof Error error) {
                throw error;
            }
            throw failure.getCause() instanceof Exception exception ? exception : failure;
        }
    }

    @Override
    public String toString() {
        return Shape.nameOf(method);
    }
}
