// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.local.CurrentDirectory.OpenDirectory;
import dev.tenure.spi.BackendException;
import dev.tenure.spi.Host;
import dev.tenure.spi.Watch;
import dev.tenure.spi.support.WatchRegistry;
import dev.tenure.spi.support.WatchRegistry.KeyWatcher;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells who watches that a record may have changed. One kernel watch and one thread for the whole store: every write ends
 * with something leaving the {@code values} folder, after it took effect, under a name that tells which record it was.
 *
 * <p>A writer that is killed between the two leaves no hint, a removed record cannot tell its key, and the kernel may
 * refuse another watch: all of that is why core polls as well. If there were too many events to keep, any record may have
 * changed.
 */
final class DirectoryWatcher {
    private static final Logger LOG = System.getLogger("dev.tenure.local");
    private static final Pattern LEFT = Pattern.compile(RecordKey.NAME + "\\..*");

    private final Host host;
    private final WatchRegistry<KeyWatcher> watchers = new WatchRegistry<>();
    private volatile OpenDirectory directory;
    private @Nullable WatchService service;
    private boolean closed;

    DirectoryWatcher(OpenDirectory directory, Host host) {
        this.directory = directory;
        this.host = host;
    }

    Watch watch(String prefix, Consumer<String> changedKey) {
        Watch watch = watchers.add(new KeyWatcher(prefix, changedKey));
        start(() -> {});
        return watch;
    }

    synchronized void close() {
        closed = true;
        watchers.close();
        stop();
    }

    private void stop() {
        if (service != null) {
            try {
                service.close();
            } catch (IOException failure) {
                LOG.log(Level.DEBUG, "closing the file watch", failure);
            }
        }
    }

    /** Another directory stands at the path: it is watched from now on, and every record may have changed. */
    synchronized void follow(OpenDirectory next) {
        directory = next;
        if (service != null) {
            stop();
            service = null;
            start(this::hintAtAnything);
        }
    }

    private void hintAtAnything() {
        watchers.publish(KeyWatcher::anyChanged);
    }

    private synchronized void start(Runnable first) {
        if (service != null || closed) {
            return;
        }
        StatePaths layout = directory.layout();
        try {
            WatchService started = layout.root().getFileSystem().newWatchService();
            service = started;
            layout.values().register(started, StandardWatchEventKinds.ENTRY_DELETE);
            host.runDuty("tenure-local-watch", () -> {
                first.run();
                listen(started);
            });
        } catch (IOException refused) {
            LOG.log(
                    Level.WARNING,
                    "no file notification on " + layout.root() + ", only polling: raise the limits "
                            + "fs.inotify.max_user_instances and max_user_watches",
                    refused);
        }
    }

    private void listen(WatchService started) {
        boolean valid = true;
        while (valid) {
            try {
                WatchKey key = started.take();
                deliver(key.pollEvents());
                valid = key.reset();
            } catch (ClosedWatchServiceException end) {
                return;
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        // It was removed, unless this was closed. A watcher that looks opens it again, and then it is followed.
        hintAtAnything();
    }

    private void deliver(List<WatchEvent<?>> events) {
        Set<RecordKey> changed = new LinkedHashSet<>();
        for (WatchEvent<?> event : events) {
            if (event.kind() == StandardWatchEventKinds.OVERFLOW) {
                hintAtAnything();
                return;
            }
            Matcher left = LEFT.matcher(String.valueOf(event.context()));
            if (left.matches()) {
                changed.add(new RecordKey(left.group(1), left.group(2)));
            }
        }
        changed.forEach(this::hint);
    }

    private void hint(RecordKey slot) {
        if (!watchers.anyMatch(watcher -> RecordKey.concerns(watcher.prefix(), slot.kind()))) {
            return;
        }
        try {
            Optional<RecordFile> record = directory.records().read(slot);
            if (record.isPresent()) {
                watchers.publish(watcher -> watcher.changed(record.get().key()));
            }
        } catch (IOException | BackendException unreadable) {
            // A caller that reads the record learns of it.
            LOG.log(Level.DEBUG, "no hint: " + slot, unreadable);
        }
    }
}
