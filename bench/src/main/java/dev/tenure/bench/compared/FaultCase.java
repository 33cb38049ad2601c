// SPDX-License-Identifier: Apache-2.0
package dev.tenure.bench.compared;

/** What is done to one of the two processes. */
enum FaultCase {
    STOP("SIGSTOP right before the effect"),
    KILL_BEFORE("kill -9 right before the effect"),
    KILL_AFTER("kill -9 right after the effect"),
    CLOCK_IN_CHARGE("clock of the process in charge 20 s ahead for 10 s"),
    CLOCK_OF_OTHER("clock of the other process 20 s ahead for 10 s");

    private final String title;

    FaultCase(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** On the same processes, when all is on time again. */
    boolean follows(FaultCase before) {
        return before == CLOCK_IN_CHARGE && this == CLOCK_OF_OTHER;
    }

    boolean isClock() {
        return this == CLOCK_IN_CHARGE || this == CLOCK_OF_OTHER;
    }

    /** The order to the process in charge. */
    String signal() {
        return switch (this) {
            case STOP -> "strike STOP before";
            case KILL_BEFORE -> "strike KILL before";
            case KILL_AFTER -> "strike KILL after";
            case CLOCK_IN_CHARGE, CLOCK_OF_OTHER -> throw new IllegalStateException(title);
        };
    }
}
