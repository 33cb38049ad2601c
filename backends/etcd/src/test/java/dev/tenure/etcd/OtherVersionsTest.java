// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.protobuf.ByteString;
import dev.tenure.Tenure;
import dev.tenure.etcd.cluster.EtcdServers;
import dev.tenure.support.ChildProcesses;
import io.grpc.ManagedChannel;
import io.netty.util.Version;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A user's project may have other versions of gRPC, protobuf, Guava and netty than this backend was built with. */
@Tag("server")
class OtherVersionsTest {
    /** What such a project does: elects, and ends. */
    static final class Application {
        private Application() {}

        public static void main(String[] args) throws Exception {
            CountDownLatch leads = new CountDownLatch(1);
            try (Tenure tenure = Tenure.connect(args[0])
                    .node("application")
                    .ttl(Duration.ofSeconds(60))
                    .open()) {
                tenure.elect("sweeper").perform(leadership -> leads.countDown());
                boolean led = leads.await(60, TimeUnit.SECONDS);
                System.out.println("led: " + led + ", with "
                        + Stream.of(ManagedChannel.class, ByteString.class, ImmutableList.class, Version.class)
                                .map(Application::jar)
                                .toList());
            }
            // Nothing ends this JVM but that nothing keeps it alive.
        }

        private static String jar(Class<?> ofLibrary) {
            return Path.of(ofLibrary
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath())
                    .getFileName()
                    .toString();
        }
    }

    @Test
    void an_application_with_other_versions_first_on_its_class_path_is_elected_and_ends() throws Exception {
        try (EtcdCluster cluster = EtcdCluster.start(EtcdServers.NEWEST, 1)) {
            String classPath = System.getProperty("tenure.other-versions") + File.separator + "*" + File.pathSeparator
                    + System.getProperty("java.class.path");
            Process application = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            classPath,
                            Application.class.getName(),
                            cluster.url("other-versions") + "?timeout=20s")
                    .redirectErrorStream(true)
                    .start();
            ChildProcesses.endWithThisJvm(application.toHandle());

            String said = new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(application.waitFor()).as(said).isZero();
            assertThat(said)
                    .contains(
                            "led: true, with [grpc-api-1.65.0.jar, protobuf-java-4.32.1.jar, guava-32.1.3-android.jar,"
                                    + " netty-common-4.1.130.Final.jar]")
                    .doesNotContain("SEVERE")
                    .doesNotContain("Panic");
        }
    }
}
