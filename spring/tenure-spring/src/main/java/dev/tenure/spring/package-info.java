/**
 * Tenure in a Spring application: annotations for what runs while leading, the template that is their programmatic twin, and the
 * lifecycle that stands after the application has started. Read {@link dev.tenure.spring.LeaderDuty} and {@link
 * dev.tenure.spring.LeaderOnly} first.
 */
@NullMarked
package dev.tenure.spring;

import org.jspecify.annotations.NullMarked;
