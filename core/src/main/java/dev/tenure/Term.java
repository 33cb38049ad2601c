// SPDX-License-Identifier: Apache-2.0
package dev.tenure;

/** One holding of an election by one holder: an immutable fact. Token and nonce together identify it for ever. */
public record Term(ElectionName election, FencingToken token, Nonce nonce, String holder) {}
