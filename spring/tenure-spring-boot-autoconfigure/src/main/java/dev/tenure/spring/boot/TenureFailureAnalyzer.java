// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring.boot;

import dev.tenure.spring.TenureConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what cannot work and what to do, instead of a stack trace. */
final class TenureFailureAnalyzer extends AbstractFailureAnalyzer<TenureConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable failure, TenureConfigurationException cause) {
        return new FailureAnalysis(sentence(cause.problem()), sentence(cause.remedy()), failure);
    }

    private static String sentence(String text) {
        String begun = text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
        return begun.endsWith(".") ? begun : begun + ".";
    }
}
