// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import java.util.function.Supplier;
import org.springframework.beans.BeansException;

/** Something in the application cannot work as it is: what it is, and what to do. */
public class TenureConfigurationException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    public TenureConfigurationException(String problem, String remedy) {
        super(problem + ": " + remedy);
        this.problem = problem;
        this.remedy = remedy;
    }

    public TenureConfigurationException(String problem, String remedy, Throwable cause) {
        this(problem, remedy);
        initCause(cause);
    }

    /** What Spring does not find, or cannot make, or what has a wrong name, becomes a sentence with what to do. */
    public static <T> T refusing(String problem, String remedy, Supplier<T> beans) {
        try {
            return beans.get();
        } catch (BeansException | IllegalArgumentException missing) {
            throw new TenureConfigurationException(problem, remedy + " (" + missing.getMessage() + ")", missing);
        }
    }

    public String problem() {
        return problem;
    }

    public String remedy() {
        return remedy;
    }
}
