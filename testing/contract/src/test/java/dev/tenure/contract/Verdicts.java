// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs cases of a suite inside a test, to see how they end. */
final class Verdicts {
    private Verdicts() {}

    /** The suite is worth what it finds: each of these cases fails. */
    static void assertFound(Class<?> broken, String... by) {
        assertAll(Status.FAILED, broken, by);
    }

    static void assertSkipped(Class<?> suite, String... cases) {
        assertAll(Status.ABORTED, suite, cases);
    }

    private static void assertAll(Status end, Class<?> suite, String... cases) {
        Map<String, Status> verdicts = of(suite, List.of(cases));

        assertThat(verdicts).containsOnlyKeys(cases);
        assertThat(verdicts.values()).as(verdicts::toString).containsOnly(end);
    }

    static Map<String, Status> of(Class<?> suite, List<String> cases) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        cases.forEach(name -> selectors.add(selectMethod(suite, name)));
        Map<String, Status> verdicts = new TreeMap<>();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors)
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                test.getSource()
                                        .filter(MethodSource.class::isInstance)
                                        .map(MethodSource.class::cast)
                                        .ifPresent(method -> verdicts.put(method.getMethodName(), result.getStatus()));
                            }
                        });
        return verdicts;
    }
}
