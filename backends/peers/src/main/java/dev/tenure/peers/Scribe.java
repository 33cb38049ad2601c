package dev.tenure.peers;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Writes to the disk, on a thread of its own: whatever has gathered while it was writing goes there together, with one {@code fsync}.
 * When writing fails nothing more is confirmed.
 */
final class Scribe implements Journal.Pen {
    private static final Logger LOG = System.getLogger("dev.tenure.peers");

    private final JournalFile file;
    private final Host host;
    private final LinkedBlockingQueue<Entry> queue = new LinkedBlockingQueue<>();
    private Optional<String> failure = Optional.empty();

    private record Entry(Optional<JournalFile.Line> line, Runnable then) {}

    Scribe(JournalFile file, Host host) {
        this.file = file;
        this.host = host;
    }

    void begin() {
        host.perform("tenure-peers-disk", this::write);
    }

    @Override
    public void write(JournalFile.Line line, Runnable then) {
        queue.add(new Entry(Optional.of(line), then));
    }

    @Override
    public Optional<String> failure() {
        return failure;
    }

    @Override
    public void close() {
        queue.add(new Entry(Optional.empty(), () -> {}));
    }

    private void write() {
        boolean open = true;
        while (open) {
            List<Entry> batch = new ArrayList<>();
            try {
                batch.add(queue.take());
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
                break;
            }
            queue.drainTo(batch);
            open = batch.stream().allMatch(entry -> entry.line().isPresent());
            List<JournalFile.Line> lines =
                    batch.stream().flatMap(entry -> entry.line().stream()).toList();
            try {
                file.append(lines);
            } catch (IOException | BackendException broken) {
                String why = "the data directory " + file.directory() + " cannot be written: " + broken.getMessage();
                LOG.log(Level.ERROR, why + ". This member does not vote any more", broken);
                host.post(() -> failure = Optional.of(why));
                break;
            }
            batch.forEach(entry -> host.post(entry.then()));
        }
        file.close();
    }
}
