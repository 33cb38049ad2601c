// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.check;

/** The places where an election's user code is called, and so where it can be slow or hang. */
public enum Callback {
    WARM_UP(Group.SERVICE),
    ACTIVATE(Group.SERVICE),
    DEACTIVATE(Group.SERVICE),
    ON_LOSS(Group.ON_LOSS),
    RAISE(Group.RAISE),
    /** What a duty still does after it was told to stop. */
    DUTY_END(Group.DUTY);

    /** Of each group, one call at a time runs in an election of a process. */
    enum Group {
        SERVICE,
        ON_LOSS,
        RAISE,
        DUTY
    }

    final Group group;

    Callback(Group group) {
        this.group = group;
    }
}
