package dev.tenure.faults.network;

import java.time.Duration;

/** What gets through between a candidate and the servers. What does not is late, not lost: as with a cut cable under TCP. */
public record Weather(boolean requestsPass, boolean answersPass, Duration answersTake) {
    public static final Weather FINE = new Weather(true, true, Duration.ZERO);
    public static final Weather CUT = new Weather(false, false, Duration.ZERO);
    /** The servers hear nothing; what they have to say arrives. */
    public static final Weather MUTE = new Weather(false, true, Duration.ZERO);
    /** Requests take effect; no answer comes. */
    public static final Weather DEAF = new Weather(true, false, Duration.ZERO);

    public static Weather slow(Duration answersTake) {
        return new Weather(true, true, answersTake);
    }
}
