package dev.tenure.local;

/**
 * A moment on the clock of this machine.
 *
 * @param bootId another one means that the machine was started anew since, and that every process of then is dead
 * @param timeNamespace a container may have its own; two of them count from different origins
 * @param uptimeMillis since the boot, also while the machine was suspended
 */
record Stamp(String bootId, String timeNamespace, long uptimeMillis) {}
