// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.trace;

/** What a line of a trace tells. The order is part of the trace hash: new ones go to the end. */
public enum TraceKind {
    BEGIN,
    FAULT,
    HEAL,
    OPENED,
    CRASHED,
    RESTARTED,
    CLOSED,
    SEND,
    APPLY,
    REPLY,
    PUSH,
    EVENT,
    ACTIVATE,
    DEACTIVATE,
    RAISE,
    WRITE,
    REFUSED,
    AUTHORITY,
    VIOLATION,
    CHECK,
    CALLBACK
}
