// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of the server, and what is known to be wrong with it. */
record ServerVersion(int major, int minor, int patch) {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,4})\\.([0-9]{1,4})\\.([0-9]{1,4}).*");

    static Optional<ServerVersion> parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? Optional.of(new ServerVersion(
                        Integer.parseInt(form.group(1)),
                        Integer.parseInt(form.group(2)),
                        Integer.parseInt(form.group(3))))
                : Optional.empty();
    }

    /** A stalled leader that was voted out may revoke leases that are alive (etcd#12528, etcd#15247). */
    boolean mayRevokeLiveLeases() {
        return isBefore(31, 13, 0);
    }

    /** A renewal may be acknowledged although the lease was revoked (etcd PRs #20615, #20616, #20813). */
    boolean mayRenewDeadLeases() {
        return isBefore(38, 23, 5);
    }

    /** One sentence, empty if nothing is known against this version. */
    String weakness() {
        if (mayRevokeLiveLeases()) {
            return "etcd " + this + " can revoke a lease that is alive when a stalled server was its leader"
                    + " (etcd#15247); upgrade to 3.4.38, 3.5.23, 3.6.5 or newer";
        }
        if (mayRenewDeadLeases()) {
            return "etcd " + this
                    + " can acknowledge the renewal of a lease that it has revoked (etcd#20616); upgrade to"
                    + " 3.4.38, 3.5.23, 3.6.5 or newer";
        }
        return "";
    }

    private boolean isBefore(int patchOf34, int patchOf35, int patchOf36) {
        if (major != 3) {
            return major < 3;
        }
        return switch (minor) {
            case 4 -> patch < patchOf34;
            case 5 -> patch < patchOf35;
            case 6 -> patch < patchOf36;
            default -> minor < 4;
        };
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
