// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The bean is started when this process is elected and stopped when the term ends; the claim is kept until it has stopped. The bean is a
 * {@link org.springframework.context.Lifecycle}; a {@code SmartLifecycle} says {@code isAutoStartup() == false}, otherwise Spring would start
 * it on every instance. On a class, or on a {@code @Bean} method. Several beans of one election start in the order of their definitions and stop in reverse.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface ActiveWhileLeading {
    /** The name of the election; placeholders are resolved. */
    String value();

    /** Names of beans of type {@link dev.tenure.Fence}, which are raised before the bean starts. */
    String[] fencedBy() default {};
}
