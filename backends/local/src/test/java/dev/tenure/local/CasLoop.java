// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.internal.host.SystemHost;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A process of its own that increments a record, and prints a line for everything that was acknowledged:
 * {@code step FROM TO VALUE}.
 */
final class CasLoop {
    private CasLoop() {}

    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[0]);
        String key = arguments[1];
        int count = Integer.parseInt(arguments[2]);
        SystemHost host = SystemHost.start("cas");
        LocalStore store = LocalStore.open(directory, host);
        System.out.println("ready");
        for (int done = 0; done < count; ) {
            Versioned counter = store.read(key).toCompletableFuture().join();
            String next = Integer.toString(counter.isPresent() ? Integer.parseInt(counter.value()) + 1 : 1);
            WriteReply reply = store.compareAndSet(new Write(counter, next, Optional.empty(), 0))
                    .toCompletableFuture()
                    .join();
            if (reply instanceof WriteReply.Applied applied) {
                done++;
                System.out.println("step " + counter.version().orElse(Chain.ABSENT) + " "
                        + applied.now().version().orElseThrow() + " " + next);
            }
        }
        System.exit(0);
    }
}
