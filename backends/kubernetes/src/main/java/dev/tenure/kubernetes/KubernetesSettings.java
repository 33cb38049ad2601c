package dev.tenure.kubernetes;

import dev.tenure.spi.BackendUrl;
import dev.tenure.spi.DurationText;
import dev.tenure.spi.support.StoreUrl;
import io.fabric8.kubernetes.client.Config;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a URL says, and the configuration that it leads to: of the pod, or of a kubeconfig. A URL holds no secret: credentials come from
 * these files alone.
 *
 * @param timeout of one request
 */
record KubernetesSettings(Config config, String namespace, Duration timeout) {
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(1);

    static KubernetesSettings of(BackendUrl url) {
        url.refuseOptionsBut(Set.of("kubeconfig", "context", "timeout"));
        String named = url.rest().replaceFirst("^//", "").replaceFirst("/$", "");
        Config config = config(url);
        String namespace = named.isEmpty() ? config.getNamespace() : named;
        if (namespace == null || !NAMESPACE.matcher(namespace).matches()) {
            throw StoreUrl.refused("'" + url + "' names no namespace: write kubernetes://my-namespace, in which servers"
                    + " are not named: those come from the pod or from a kubeconfig");
        }
        Duration timeout = url.duration("timeout").orElse(TIMEOUT);
        if (timeout.isZero() || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw StoreUrl.refused("timeout " + DurationText.format(timeout) + " must be above 0s and at most "
                    + DurationText.format(TIMEOUT_MAX));
        }
        config.setRequestRetryBackoffLimit(0); // core retries
        config.setConnectionTimeout((int) Math.max(1, timeout.toMillis() / 3));
        // A request that times out closes its connection of HTTP/1.1. One of HTTP/2 would be kept, dead as it may be.
        config.setHttp2Disable(true);
        return new KubernetesSettings(config, namespace, timeout);
    }

    /** What the client says of a broken file is not shown: it may quote a token. */
    private static Config config(BackendUrl url) {
        Optional<Path> file = url.option("kubeconfig").map(Path::of);
        @Nullable String context = url.option("context").orElse(null);
        if (file.isPresent() && !Files.isReadable(file.get())) {
            throw StoreUrl.refused("the file of kubeconfig cannot be read: " + file.get());
        }
        Config config;
        try {
            config = file.isPresent()
                    ? Config.fromKubeconfig(context, file.get().toFile())
                    : Config.autoConfigure(context);
        } catch (RuntimeException unusable) {
            throw StoreUrl.refused(file.map(Path::toString).orElse("the kubeconfig of this user") + " cannot be used:"
                    + " see what 'kubectl config view' says of it");
        }
        if (context != null
                && (config.getCurrentContext() == null
                        || !context.equals(config.getCurrentContext().getName()))) {
            throw StoreUrl.refused(
                    "the kubeconfig has no context '" + context + "': see 'kubectl config get-contexts'");
        }
        boolean found = file.isPresent()
                || config.getCurrentContext() != null
                || !config.getMasterUrl().startsWith(Config.DEFAULT_MASTER_URL);
        if (!found) {
            throw StoreUrl.refused("no cluster is known: this is no pod with a service account, and there is no"
                    + " kubeconfig; write kubernetes://namespace?kubeconfig=FILE");
        }
        return config;
    }

    /** As people call it. */
    @Override
    public String toString() {
        return "kubernetes namespace " + namespace + " at " + config.getMasterUrl();
    }
}
