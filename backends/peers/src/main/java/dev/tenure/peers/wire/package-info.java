/**
 * How members speak: frames with a limit, a greeting in which both sides prove that they know the secret, and then frames that carry a
 * number and a seal, so that nothing can be put in, left out or said twice.
 */
@NullMarked
package dev.tenure.peers.wire;

import org.jspecify.annotations.NullMarked;
