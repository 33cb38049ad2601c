// SPDX-License-Identifier: Apache-2.0
package dev.tenure.local;

import dev.tenure.local.LocalStore.MachineEnvironment;
import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Host;
import dev.tenure.spi.StoreBinding;
import dev.tenure.spi.support.StoreUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** {@code local:} for the user's own directory, {@code local:/dir} for one that is named. */
public final class LocalProvider implements BackendProvider {
    private final Path root;
    private final Map<String, String> environment;
    private final MachineEnvironment machine;

    public LocalProvider() {
        this(Path.of("/"), System.getenv(), MachineEnvironment.thisOne());
    }

    LocalProvider(Path root, Map<String, String> environment, MachineEnvironment machine) {
        this.root = root;
        this.environment = Map.copyOf(environment);
        this.machine = machine;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("local");
    }

    @Override
    public StoreBinding connect(BackendUrl url, Host host) {
        if (url.rest().isEmpty()) {
            url.refuseOptionsBut(Set.of());
            refuseContainer();
            return LocalStore.open(defaultDirectory(), true, host, machine);
        }
        String example = "local:/var/lib/myapp, or local: for the directory of this user";
        Path directory = Path.of(StoreUrl.ofPath(url, example, Set.of()).path()).normalize();
        return LocalStore.open(directory, false, host, machine);
    }

    private void refuseContainer() {
        Optional<String> sign = Container.sign(root, environment);
        if (sign.isPresent()) {
            throw StoreUrl.refused(
                    "this is a container (by " + sign.get() + "), and local: does not say where its files are: three "
                            + "pods on three disks would be three leaders. Name a directory that all candidates share, as in "
                            + "local:/dir, or use a store for many machines");
        }
    }

    private Path defaultDirectory() {
        return StoreUrl.stateHome(environment)
                .orElseThrow(() -> StoreUrl.refused(
                        "there is no home directory for local: to use: set HOME or XDG_STATE_HOME, or name a directory, "
                                + "as in local:/dir"))
                .resolve("tenure");
    }

    /**
     * Does this process run in a container? Then a directory that nobody has named is most likely on a disk that only this
     * container sees, and three containers would have three leaders.
     *
     * <p>A marker alone does not prove it: a virtual machine started from a container image has {@code /.dockerenv}, and a
     * developer's shell may have Kubernetes' variables. So a marker counts only for a process that is not in the first
     * namespaces of its kernel, whose numbers are fixed. A control group named by a container runtime counts by itself: that
     * is a container that shares the host's namespaces.
     */
    static final class Container {
        // include/linux/proc_ns.h: PROC_PID_INIT_INO and its neighbours.
        private static final Map<String, String> FIRST_NAMESPACES = Map.of(
                "pid", "pid:[4026531836]",
                "uts", "uts:[4026531838]",
                "ipc", "ipc:[4026531839]",
                "cgroup", "cgroup:[4026531835]");
        private static final Pattern RUNTIME_GROUP = Pattern.compile(
                "(?m)[:/](kubepods(\\.slice)?(/|$)|kubepods-|docker[-/][0-9a-f]{64}|libpod[-/]|cri-containerd-|crio-"
                        + "|lxc\\.payload|lxc/|ecs/|garden/)");

        private Container() {}

        /** @return what gave it away, for the message */
        static Optional<String> sign(Path root, Map<String, String> environment) {
            if (RUNTIME_GROUP.matcher(text(root.resolve("proc/self/cgroup"))).find()) {
                return Optional.of("its control group");
            }
            return isInFirstNamespaces(root) ? Optional.empty() : marker(root, environment);
        }

        private static Optional<String> marker(Path root, Map<String, String> environment) {
            for (String file : new String[] {".dockerenv", "run/.containerenv"}) {
                if (Files.exists(root.resolve(file))) {
                    return Optional.of("/" + file);
                }
            }
            for (String variable : new String[] {"KUBERNETES_SERVICE_HOST", "container"}) {
                if (!environment.getOrDefault(variable, "").isEmpty()) {
                    return Optional.of("the variable " + variable);
                }
            }
            return Optional.empty();
        }

        private static boolean isInFirstNamespaces(Path root) {
            for (Map.Entry<String, String> first : FIRST_NAMESPACES.entrySet()) {
                Path link = root.resolve("proc/self/ns").resolve(first.getKey());
                try {
                    if (!Files.readSymbolicLink(link).toString().equals(first.getValue())) {
                        return false;
                    }
                } catch (IOException notLinux) {
                    return false;
                }
            }
            return true;
        }

        private static String text(Path file) {
            try {
                return Files.readString(file);
            } catch (IOException notLinux) {
                return "";
            }
        }
    }
}
