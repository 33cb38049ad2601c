/** Fake elections in tests of Spring Boot applications: {@link dev.tenure.spring.boot.test.AutoConfigureFakeElections}. */
@NullMarked
package dev.tenure.spring.boot.test;

import org.jspecify.annotations.NullMarked;
