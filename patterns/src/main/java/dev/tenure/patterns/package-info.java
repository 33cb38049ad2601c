/**
 * What leaders are elected for: {@link dev.tenure.patterns.Cron} runs jobs by the clock, {@link dev.tenure.patterns.Migration} applies
 * the steps of a migration. Both keep a {@link dev.tenure.patterns.Journal} in a database, behind a fence.
 */
@NullMarked
package dev.tenure.patterns;

import org.jspecify.annotations.NullMarked;
