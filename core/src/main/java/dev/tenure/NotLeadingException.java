// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/** This term may no longer write: its deadline has passed or it was ended. */
public class NotLeadingException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** The message names the term and why it has no authority. */
    public NotLeadingException(String message) {
        super(message);
    }
}
