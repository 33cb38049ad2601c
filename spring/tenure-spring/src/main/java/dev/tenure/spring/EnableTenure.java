// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Makes the annotations of this package work in an application without Spring Boot. It needs one bean of type {@link dev.tenure.Tenure}. The
 * application stands when its context was refreshed.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(TenureConfiguration.class)
public @interface EnableTenure {}
