package example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.Tenure;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweeperTest {
    @Test
    void it_leads_as_a_module_among_modules(@TempDir Path folder) throws Exception {
        assertThat(Tenure.class.getModule().getName()).isEqualTo("dev.tenure");
        assertThat(Sweeper.class.getModule().getName()).isEqualTo("example.modular");

        long first = Sweeper.sweep("local:" + folder);

        assertThat(Sweeper.sweep("local:" + folder)).isGreaterThan(first);
    }
}
