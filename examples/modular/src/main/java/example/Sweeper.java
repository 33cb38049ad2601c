package example;

import dev.tenure.Tenure;
import java.time.Duration;

/** Sweeps once, while it leads. */
public final class Sweeper {
    private Sweeper() {}

    /** Returns the token that it swept with. */
    public static long sweep(String url) throws Exception {
        try (Tenure tenure = Tenure.connect(url).open()) {
            long[] token = new long[1];
            tenure.exclusively("sweeper", Duration.ofMinutes(1), leadership -> token[0] = leadership.token().value());
            return token[0];
        }
    }
}
