// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method runs only while this process leads the election. The application stands in the election by itself; {@link
 * Leaderships#current()} has the leadership inside. When the term ends, it is released after the calls that still run have returned.
 *
 * <p>The check comes before transactions and after {@code @Async}, on the thread that does the work. It is a gate and not a fence: a process
 * that is paused inside the method wakes up without knowing what has happened. Writes are fenced by {@link FencedTransactional} or by {@code
 * FencedSql}.
 *
 * <p>A method that cannot be intercepted fails the start of the application.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface LeaderOnly {
    /** The name of the election; placeholders are resolved. */
    String value();

    /** Names of beans of type {@link dev.tenure.Fence}, which are raised before the first call is let in. */
    String[] fencedBy() default {};

    Otherwise otherwise() default Otherwise.BY_RETURN_TYPE;

    /** What a call does while this process does not lead. */
    enum Otherwise {
        /** {@link #SKIP} if the method returns nothing, {@link #THROW} if it returns something. */
        BY_RETURN_TYPE,
        /** Returns at once. Only for methods that return nothing. */
        SKIP,
        /** Throws {@link dev.tenure.NotLeadingException}. */
        THROW
    }
}
