/**
 * Every state that a small world can be in: the production machines of session and election, explored exhaustively within
 * bounds. Where the simulator tries long histories by chance, this tries all short ones.
 */
@NullMarked
package dev.tenure.explorer;

import org.jspecify.annotations.NullMarked;
