// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method runs in a transaction that the fence accepts, in the order authority, transaction, fence: the leadership of the caller is
 * checked, a transaction begins, and the fence is taken on its connection and held until the commit. A stale leader writes nothing and gets
 * {@link dev.tenure.NotLeadingException}. Any exception rolls back.
 *
 * <p>The leadership is that of the {@link LeaderDuty} or {@link LeaderOnly} method around the call, or of the method itself. Inside another
 * transaction it is refused, unless that one has taken the same fence.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface FencedTransactional {
    /**
     * The name of a bean: a {@code FencedSql} over the application's {@code DataSource}, or a {@link FencedTransactionTemplate} where there are
     * several data sources or transaction managers.
     */
    String value();
}
