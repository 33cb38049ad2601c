// SPDX-License-Identifier: Apache-2.0
package dev.tenure.contract;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Refuses to run a contract in which a backend has overridden a case: methods of interfaces cannot be final. */
final class UnalteredCases implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Class<?> suite = context.getRequiredTestClass();
        for (Method own : suite.getMethods()) {
            if (!own.getDeclaringClass().isInterface() && !own.isBridge() && isCase(suite, own)) {
                throw new ExtensionConfigurationException(
                        own.getDeclaringClass().getName() + " overrides a case of the contract: " + own.getName());
            }
        }
    }

    private static boolean isCase(Class<?> suite, Method own) {
        return interfacesOf(suite)
                .flatMap(cases -> Arrays.stream(cases.getDeclaredMethods()))
                .anyMatch(method -> method.isDefault()
                        && method.getName().equals(own.getName())
                        && Arrays.equals(method.getParameterTypes(), own.getParameterTypes()));
    }

    private static Stream<Class<?>> interfacesOf(Class<?> type) {
        if (type == null) {
            return Stream.empty();
        }
        Stream<Class<?>> direct = Arrays.stream(type.getInterfaces());
        return Stream.concat(
                direct.flatMap(each -> Stream.concat(Stream.of(each), interfacesOf(each))),
                interfacesOf(type.getSuperclass()));
    }
}
