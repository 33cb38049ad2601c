// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The application stands in the election, and the method runs on a thread of its own while it leads. The method takes a {@link
 * dev.tenure.Leadership} or nothing, and returns nothing. It is called through the bean, so that other advice applies.
 *
 * <p>A method that returns has done its work: the application does not stand again, unless a bean of type {@link
 * dev.tenure.Campaign} for this election says {@code again()}. One that throws stands again after the cool-down. An election has one duty at most; methods with {@link LeaderOnly} and beans with {@link
 * ActiveWhileLeading} may share it.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface LeaderDuty {
    /** The name of the election; placeholders are resolved. */
    String election();

    /** Names of beans of type {@link dev.tenure.Fence}, which are raised before the method starts. */
    String[] fencedBy() default {};

    /** How long the method may take to stop, such as {@code 3s}; a fifth of the TTL if empty. */
    String drain() default "";
}
