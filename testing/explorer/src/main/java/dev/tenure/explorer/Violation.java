package dev.tenure.explorer;

/** A property that does not hold. Thrown inside one step, and reported with the history that leads to it. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String property;
    private final String what;

    Violation(String property, String what) {
        super(property + ": " + what);
        this.property = property;
        this.what = property + ": " + what;
    }

    String property() {
        return property;
    }

    String what() {
        return what;
    }
}
