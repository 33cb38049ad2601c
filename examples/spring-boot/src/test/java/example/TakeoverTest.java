package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two real processes on a real PostgreSQL; the leader is killed. */
class TakeoverTest {
    @Test
    void when_the_leader_is_killed_the_other_instance_goes_on() throws Exception {
        Path output = Files.createTempFile("takeover", ".log");
        Process script = new ProcessBuilder("./takeover")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = script.waitFor(120, TimeUnit.SECONDS);
        script.destroy();

        String printed = Files.readString(output);
        assertThat(ended).as(printed).isTrue();
        assertThat(script.exitValue()).as(printed).isZero();
        assertThat(printed)
                .contains("a leads", "b stands by, and is UP", "a is killed", "b leads")
                .contains("writes with an older token after a newer one: 0");
        Files.delete(output);
    }
}
