package dev.tenure.kubernetes.lease;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.BackendException.Effect;
import dev.tenure.spi.BackendException.Kind;
import dev.tenure.spi.support.EraRecord;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Optional;

/**
 * A record of Tenure in the annotations of a Lease: the era in both modes, and everything with {@code sessions=on}. Its fields keep other
 * electors out that stand under its name by mistake: it is held by somebody, practically for ever.
 */
public final class RecordLease {
    /** Selects Leases by the kind of their record. */
    public static final String KIND = "tenure.dev/kind";

    private static final String KEY = "tenure.dev/key";
    private static final String VALUE = "tenure.dev/record";
    private static final String MODE = "tenure.dev/mode";
    private static final String HOLDER = "tenure";

    /** How a namespace is used: one Lease per election, or sessions. Both at once could lead in one election twice. */
    public enum Mode {
        LEASES,
        SESSIONS
    }

    private RecordLease() {}

    public static String key(Lease lease) {
        return annotation(lease, KEY);
    }

    /** @throws BackendException if it is the Lease of another record, or the namespace is used in another mode */
    public static String value(Lease lease, String key, Mode mode) {
        if (!key(lease).equals(key)) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.CORRUPT,
                    "Lease " + lease.getMetadata().getName() + " is not of record '" + key + "' but of '" + key(lease)
                            + "'");
        }
        String used = annotation(lease, MODE);
        if (key.equals(EraRecord.KEY) && !used.equals(mode.name())) {
            throw new BackendException(
                    Effect.NONE,
                    Kind.MISCONFIGURED,
                    "namespace " + lease.getMetadata().getNamespace() + " is used "
                            + (mode == Mode.LEASES ? "with" : "without")
                            + " ?sessions=on: use it alike in every URL, or take"
                            + " another namespace. To switch, stop every candidate, then: kubectl annotate --overwrite --namespace "
                            + lease.getMetadata().getNamespace() + " lease "
                            + LeaseNames.ERA + " " + MODE + "=" + mode);
        }
        return annotation(lease, VALUE);
    }

    private static String annotation(Lease lease, String name) {
        Map<String, String> all = lease.getMetadata().getAnnotations();
        return all == null ? "" : all.getOrDefault(name, "");
    }

    /** @param now new for every write, because one that changes nothing gets no new version */
    public static Lease written(Optional<Lease> before, String key, String value, Mode mode, ZonedDateTime now) {
        return before.map(LeaseBuilder::new)
                .orElseGet(() -> new LeaseBuilder()
                        .withNewMetadata()
                        .withName(LeaseNames.ofKey(key))
                        .endMetadata()
                        .withNewSpec()
                        .withAcquireTime(now)
                        .withLeaseTransitions(0)
                        .endSpec())
                .editMetadata()
                .addToLabels(KIND, key.substring(0, 1))
                .addToAnnotations(KEY, key)
                .addToAnnotations(VALUE, value)
                .addToAnnotations(MODE, mode.name())
                .endMetadata()
                .editSpec()
                .withHolderIdentity(HOLDER)
                .withLeaseDurationSeconds(Integer.MAX_VALUE)
                .withRenewTime(now)
                .endSpec()
                .build();
    }
}
