// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

/** A property that does not hold. Thrown inside one step, and reported with the history that leads to it. */
public final class ViolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String property;
    private final String what;

    public ViolationException(String property, String what) {
        super(property + ": " + what);
        this.property = property;
        this.what = property + ": " + what;
    }

    public String property() {
        return property;
    }

    public String what() {
        return what;
    }
}
