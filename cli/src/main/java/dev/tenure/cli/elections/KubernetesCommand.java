// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.elections;

import dev.tenure.cli.command.Command;
import dev.tenure.cli.command.Console;
import dev.tenure.cli.command.ExitCode;
import dev.tenure.cli.command.Option;
import dev.tenure.cli.command.Options;
import dev.tenure.cli.command.Usage;
import dev.tenure.cli.command.Usage.Form;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code tenure kubernetes}: what a cluster has to allow. It asks no cluster. */
public final class KubernetesCommand implements Command {
    private static final Option NAMESPACE = Option.value("--namespace", "NAME", "where the Leases are");
    private static final Option ELECTION =
            Option.value("--election", "NAME", "only this one, instead of every election of the namespace");
    private static final Option SESSIONS = Option.flag("--sessions", "for URLs with sessions=on");
    private static final Option ACCOUNT =
            Option.value("--service-account", "NAME", "of the pods that stand, default 'default'");
    private static final Pattern ALLOWED =
            Pattern.compile("(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

    @Override
    public Usage usage() {
        return new Usage(
                "kubernetes",
                "print what a Kubernetes cluster has to allow",
                """
                Prints a Role and a RoleBinding with the least rights that candidates need, for 'kubectl apply -f -'. The right to
                create Leases cannot be narrowed to a name: Kubernetes does not know the name when it decides.""",
                Form.of("rbac").needing(NAMESPACE).taking(ELECTION, SESSIONS, ACCOUNT),
                "tenure kubernetes rbac --namespace billing | kubectl apply -f -",
                "tenure kubernetes rbac --namespace billing --election sweeper --service-account sweeper");
    }

    @Override
    public int run(Options options, Console console) {
        String namespace = name(options, NAMESPACE).orElseThrow();
        String account = name(options, ACCOUNT).orElse("default");
        Optional<String> election = name(options, ELECTION);
        boolean sessions = options.has(SESSIONS);
        if (sessions && election.isPresent()) {
            throw options.wrong("--sessions needs the whole namespace: leave --election out");
        }
        console.out().print(rbac(namespace, account, rules(election, sessions))); // many lines, for kubectl
        return ExitCode.OK;
    }

    private static Optional<String> name(Options options, Option option) {
        Optional<String> name = options.value(option);
        if (name.filter(given -> !ALLOWED.matcher(given).matches()).isPresent()) {
            throw options.wrong(
                    option.name() + " '" + Options.shown(name.get()) + "' is no name that Kubernetes allows: "
                            + (option.equals(ELECTION)
                                    ? "give the name of its Lease, which 'kubectl get leases' shows"
                                    : "lower-case letters, digits, - and ., with a letter or digit at both ends"));
        }
        return name;
    }

    private static String rules(Optional<String> election, boolean sessions) {
        String leases = "- apiGroups: [coordination.k8s.io]\n  resources: [leases]\n";
        if (election.isPresent()) {
            return leases + "  verbs: [create]\n" + leases + "  resourceNames: [" + election.get()
                    + ", tenure-era]\n  verbs: [get, list, watch, update]\n";
        }
        return leases + "  verbs: [get, list, watch, create, update" + (sessions ? ", delete" : "") + "]\n";
    }

    private static String rbac(String namespace, String account, String rules) {
        return String.format(Locale.ROOT, """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: Role
                metadata:
                  name: tenure-candidate
                  namespace: %1$s
                rules:
                %3$s---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata:
                  name: tenure-candidate
                  namespace: %1$s
                roleRef:
                  apiGroup: rbac.authorization.k8s.io
                  kind: Role
                  name: tenure-candidate
                subjects:
                - kind: ServiceAccount
                  name: %2$s
                  namespace: %1$s
                """, namespace, account, rules);
    }
}
