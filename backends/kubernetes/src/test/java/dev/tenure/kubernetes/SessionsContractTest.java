// SPDX-License-Identifier: Apache-2.0
package dev.tenure.kubernetes;

import org.junit.jupiter.api.Tag;

/** The adapter of core is tested on other stores in every run; this is its second form. */
@Tag("all")
class SessionsContractTest extends LeaseContractTest {
    @Override
    String options() {
        return super.options() + "&sessions=on";
    }
}
