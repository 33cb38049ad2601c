package dev.tenure.local;

import dev.tenure.spi.BackendProvider;
import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.Door;
import dev.tenure.spi.Host;
import dev.tenure.spi.support.StoreUrl;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code local:} for the user's own directory, {@code local:/dir} for one that is named. */
public final class LocalProvider implements BackendProvider {
    private final Path root;
    private final Map<String, String> environment;
    private final Machine machine;

    public LocalProvider() {
        this(Path.of("/"), System.getenv(), Machine.thisOne());
    }

    LocalProvider(Path root, Map<String, String> environment, Machine machine) {
        this.root = root;
        this.environment = Map.copyOf(environment);
        this.machine = machine;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("local");
    }

    @Override
    public Door connect(BackendUrl url, Host host) {
        if (url.rest().isEmpty()) {
            url.refuseOptionsBut(Set.of());
            refuseContainer();
            return LocalStore.open(
                    StateDirectory.open(defaultDirectory(), true, machine.disk(), host.random()), host, machine);
        }
        String example = "local:/var/lib/myapp, or local: for the directory of this user";
        Path directory = Path.of(StoreUrl.ofPath(url, example, Set.of()).path()).normalize();
        return LocalStore.open(StateDirectory.open(directory, false, machine.disk(), host.random()), host, machine);
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

    /** As the XDG specification has it: a state home that is not absolute is ignored. */
    private Path defaultDirectory() {
        String stateHome = environment.getOrDefault("XDG_STATE_HOME", "");
        if (stateHome.startsWith("/")) {
            return Path.of(stateHome, "tenure");
        }
        String home = environment.getOrDefault("HOME", System.getProperty("user.home", ""));
        if (!home.startsWith("/")) {
            throw StoreUrl.refused(
                    "there is no home directory for local: to use: set HOME or XDG_STATE_HOME, or name a directory, "
                            + "as in local:/dir");
        }
        return Path.of(home, ".local", "state", "tenure");
    }
}
