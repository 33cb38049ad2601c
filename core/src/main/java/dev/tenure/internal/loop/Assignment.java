package dev.tenure.internal.loop;

import dev.tenure.Loss;

/** User code in one term, as the loop sees it: begun, told to stop, and at some time over. Never blocks the loop. */
interface Assignment {
    /** Who is told that user code has ended. */
    interface Employer {
        /** Called once, on any thread, when nothing of it runs any more and that thread has nothing else to do for it. */
        void ended(Assignment over, Loss result);
    }

    LiveLeadership leadership();

    void begin();

    void stop(Loss loss);

    void interrupt();
}
