package dev.tenure.contract;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs cases of a suite inside a test, to see how they end. */
final class Verdicts {
    private Verdicts() {}

    static Map<String, TestExecutionResult.Status> of(Class<?> suite, List<String> cases) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        cases.forEach(name -> selectors.add(selectMethod(suite, name)));
        Map<String, TestExecutionResult.Status> verdicts = new TreeMap<>();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors)
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
