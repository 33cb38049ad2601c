/** Tenure in a Spring Boot application: {@link dev.tenure.spring.boot.TenureAutoConfiguration} makes a client of {@code tenure.url}. */
@NullMarked
package dev.tenure.spring.boot;

import org.jspecify.annotations.NullMarked;
