// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.patterns.Cron.Missed;
import dev.tenure.patterns.Cron.Overlap;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method is a job of {@link dev.tenure.patterns.Cron}: it runs by the clock on one instance, and each due time is one row of a journal in
 * the application's database, so it never starts twice. The method takes a {@link dev.tenure.patterns.CronRun} or nothing, and returns nothing.
 * All jobs of an application share one election and one {@link dev.tenure.patterns.Journal}: a bean of that type, or one over the {@code
 * DataSource} that has the name of the application.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface FencedScheduled {
    /** Five fields as in a crontab, such as {@code 0 6 * * *}; or say {@link #every()}. Placeholders are resolved. */
    String cron() default "";

    /** An interval, such as {@code 10s}. */
    String every() default "";

    /** The zone of {@link #cron()}, such as {@code Europe/Berlin}. */
    String zone() default "UTC";

    /** The name of the job, by which its history is kept; class and method if empty. */
    String job() default "";

    Missed missed() default Missed.RUN_LATEST;

    Overlap overlap() default Overlap.SKIP;

    /** After which a run is interrupted, such as {@code 10m}; never if empty. */
    String timeout() default "";
}
