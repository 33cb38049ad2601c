// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;

class SpringVersionTest {
    @Test
    void these_tests_run_on_the_version_of_spring_that_the_build_says() {
        String expected = System.getProperty("tenure.test.spring");
        assumeTrue(expected != null, "not run by the build");

        assertThat(SpringVersion.getVersion()).startsWith(expected);
    }
}
