// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenure.local.LocalProvider.Container;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerTest {
    private static final String ID = "0123456789abcdef".repeat(4);

    @TempDir
    private Path root;

    @BeforeEach
    void a_plain_machine() throws IOException {
        Files.createDirectories(root.resolve("proc/self/ns"));
        Files.createDirectories(root.resolve("run"));
        namespace("pid", "4026531836");
        namespace("uts", "4026531838");
        namespace("ipc", "4026531839");
        namespace("cgroup", "4026531835");
        cgroup("0::/user.slice/user-1000.slice/session-2.scope\n");
    }

    @Test
    void a_plain_machine_is_none() {
        assertThat(Container.sign(root, Map.of())).isEmpty();
    }

    @Test
    void a_virtual_machine_made_of_a_container_image_is_none() throws IOException {
        Files.createFile(root.resolve(".dockerenv"));

        assertThat(Container.sign(root, Map.of("container", "oci", "KUBERNETES_SERVICE_HOST", "10.0.0.1")))
                .isEmpty();
    }

    @Test
    void namespaces_alone_do_not_make_one() throws IOException {
        namespace("pid", "4026532201");

        assertThat(Container.sign(root, Map.of("HOME", "/root"))).isEmpty();
    }

    @Test
    void docker_is_one() throws IOException {
        Files.createFile(root.resolve(".dockerenv"));
        namespace("pid", "4026532201");
        cgroup("0::/\n");

        assertThat(Container.sign(root, Map.of())).contains("/.dockerenv");
    }

    @Test
    void docker_with_the_process_numbers_of_its_host_is_one() throws IOException {
        Files.createFile(root.resolve(".dockerenv"));
        namespace("ipc", "4026532201");

        assertThat(Container.sign(root, Map.of())).isPresent();
    }

    @Test
    void podman_is_one() throws IOException {
        Files.createFile(root.resolve("run/.containerenv"));
        namespace("pid", "4026532201");

        assertThat(Container.sign(root, Map.of())).contains("/run/.containerenv");
    }

    @ParameterizedTest
    @ValueSource(strings = {"KUBERNETES_SERVICE_HOST", "container"})
    void a_variable_that_runtimes_set_makes_one(String variable) throws IOException {
        namespace("uts", "4026532201");

        assertThat(Container.sign(root, Map.of(variable, "x"))).contains("the variable " + variable);
        assertThat(Container.sign(root, Map.of(variable, ""))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-containerd-ID.scope",
                "12:memory:/kubepods/besteffort/pod1/ID",
                "1:name=systemd:/docker/ID",
                "0::/system.slice/docker-ID.scope",
                "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-ID.scope/container",
                "0::/machine.slice/crio-ID.scope",
                "5:cpu:/lxc/web"
            })
    void a_control_group_of_a_runtime_is_enough(String line) throws IOException {
        cgroup("0::/x\n" + line.replace("ID", ID) + "\n");

        assertThat(Container.sign(root, Map.of())).contains("its control group");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0::/system.slice/docker.service",
                "0::/system.slice/containerd.service",
                "0::/system.slice/kubelet.service",
                "0::/user.slice/user-1000.slice/app-docker-desktop.scope",
                "0::/init.scope",
                "1:cpu:/"
            })
    void a_service_that_only_sounds_like_it_is_none(String line) throws IOException {
        cgroup(line + "\n");

        assertThat(Container.sign(root, Map.of())).isEmpty();
    }

    private void namespace(String name, String number) throws IOException {
        Path link = root.resolve("proc/self/ns").resolve(name);
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, Path.of(name + ":[" + number + "]"));
    }

    private void cgroup(String text) throws IOException {
        Files.writeString(root.resolve("proc/self/cgroup"), text);
    }
}
