// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.spi.BackendProvider;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

/** Looking for a backend costs those nothing who use another one. */
class ProviderTest {
    @Test
    void finding_the_provider_loads_no_class_of_zookeepers_client() throws Exception {
        URL own = ZooKeeperProvider.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader withoutClient = new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (name.startsWith("org.apache.zookeeper") || name.startsWith("dev.tenure.zookeeper")) {
                    throw new ClassNotFoundException(name);
                }
                return ProviderTest.class.getClassLoader().loadClass(name);
            }
        };

        try (URLClassLoader alone = new URLClassLoader(new URL[] {own}, withoutClient)) {
            Class<?> loaded = alone.loadClass(ZooKeeperProvider.class.getName());
            BackendProvider provider =
                    (BackendProvider) loaded.getDeclaredConstructor().newInstance();

            assertThat(loaded.getClassLoader()).isSameAs(alone);
            assertThat(provider.schemes()).containsExactlyInAnyOrder("zk", "zookeeper");
        }
    }
}
