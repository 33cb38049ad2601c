/**
 * The suites that every backend and every fence passes, against the real thing: {@link
 * dev.tenure.contract.LeaseStoreContract}, {@link dev.tenure.contract.BackendContract} and {@link
 * dev.tenure.contract.FenceContract}.
 *
 * <p>The suites need a JUnit engine on the class path of the tests ({@code org.junit.jupiter:junit-jupiter}). Most of their time
 * they wait for real TTLs: with {@code @Execution(CONCURRENT)} on the subclass, and parallel execution enabled, cases run beside each
 * other. {@code docs/new-backend.md} writes a backend and runs both suites for it.
 *
 * <p>A subclass says how to reach its store, and nothing else: the cases cannot be overridden. What a backend cannot have
 * is skipped by its declared traits, and the report says which trait it was. Every test gets a namespace that no other test
 * has used.
 */
@NullMarked
package dev.tenure.contract;

import org.jspecify.annotations.NullMarked;
