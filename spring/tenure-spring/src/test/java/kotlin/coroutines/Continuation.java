// SPDX-License-Identifier: Apache-2.0
package kotlin.coroutines;

/** What a suspend function of Kotlin takes last, for a shape that tests refuse. */
public interface Continuation {}
