// SPDX-License-Identifier: Apache-2.0
package dev.tenure.algorithms.bully;

import dev.tenure.algorithms.Message;

/** The three messages of the bully algorithm. */
public sealed interface BullyMessage extends Message {
    /** To all that outrank me: does any of you live? */
    record Election() implements BullyMessage {}

    /** I outrank you and live: leave it to me. */
    record Ok() implements BullyMessage {}

    /** I lead. */
    record Coordinator() implements BullyMessage {}
}
