package dev.tenure.internal.loop;

import dev.tenure.Loss;
import java.util.function.Consumer;

/** User code as the loop sees it: begun, told to stop, and at some time over. Never blocks the loop. */
interface Assignment {
    /** @param ended called once, on any thread, when nothing of it runs any more */
    void begin(LiveLeadership leadership, Consumer<Loss> ended);

    void stop(Loss loss);

    void interrupt();
}
