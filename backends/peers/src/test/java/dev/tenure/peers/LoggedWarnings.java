// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What members of this process have written to their log; the groups of other tests too. */
final class LoggedWarnings extends Handler {
    private final Logger logger = Logger.getLogger("dev.tenure.peers");
    private final List<String> sentences = new CopyOnWriteArrayList<>();

    LoggedWarnings() {
        logger.addHandler(this);
    }

    List<String> containing(String... parts) {
        return sentences.stream()
                .filter(sentence -> List.of(parts).stream().allMatch(sentence::contains))
                .toList();
    }

    @Override
    public void publish(LogRecord event) {
        if (event.getLevel().intValue() >= Level.WARNING.intValue()) {
            sentences.add(event.getMessage());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
