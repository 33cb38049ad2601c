// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms;

/** What a node must still know after a crash. A record of its algorithm's own. */
public interface Durable {}
