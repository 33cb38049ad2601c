package dev.tenure.spring.support;

import dev.tenure.Campaign;
import dev.tenure.Candidacy;
import dev.tenure.ElectionName;
import dev.tenure.Tenure;
import dev.tenure.spring.CampaignCustomizer;
import dev.tenure.spring.TenureConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The elections that the application stands in. Annotations and customizers name them while the context starts; from then on the list does not
 * change. Standing and leaving are guarded by this object, for they come from the threads of Spring's lifecycle.
 */
public final class LedElections {
    private final Map<ElectionName, LedElection> all = new LinkedHashMap<>();
    private final Map<ElectionName, UnaryOperator<Campaign>> settings = new LinkedHashMap<>();
    private final List<CampaignCustomizer> customizers;
    private final Executor closing;
    private final List<Function<Tenure, AutoCloseable>> others = new ArrayList<>();
    private List<Candidacy> candidacies = List.of();
    private List<AutoCloseable> running = List.of();

    /** @param closing runs the ends of several elections side by side */
    public LedElections(List<CampaignCustomizer> customizers, Executor closing) {
        this.customizers = List.copyOf(customizers);
        this.closing = closing;
        customizers.forEach(one -> one.elections().forEach(this::add));
    }

    /** The election of this name, which the application stands in from now on if it did not before. */
    synchronized LedElection add(String election) {
        return all.computeIfAbsent(nameOf(election), LedElection::new);
    }

    /** How its duty wants it to stand. */
    synchronized void configure(ElectionName election, UnaryOperator<Campaign> change) {
        settings.put(election, change);
    }

    /** Something that stands by itself, from when the application does until it is closed. */
    synchronized void also(Function<Tenure, AutoCloseable> starter) {
        others.add(starter);
    }

    private static ElectionName nameOf(String election) {
        try {
            return ElectionName.of(election);
        } catch (IllegalArgumentException refused) {
            throw new TenureConfigurationException(
                    "'" + election + "' cannot be the name of an election",
                    String.valueOf(refused.getMessage()),
                    refused);
        }
    }

    /** @throws IllegalArgumentException if the application does not stand in it */
    public synchronized LedElection named(String election) {
        LedElection led = all.get(ElectionName.of(election));
        if (led == null) {
            throw new IllegalArgumentException("this application does not stand in election " + election
                    + ": name it in an annotation, or list it under tenure.elections");
        }
        return led;
    }

    public synchronized boolean isStanding() {
        return !running.isEmpty();
    }

    /** Stands in all of them, or in none if one is refused. */
    public synchronized void stand(Tenure tenure) {
        if (isStanding()) {
            return;
        }
        List<Candidacy> standing = new ArrayList<>();
        List<AutoCloseable> begun = new ArrayList<>();
        try {
            for (LedElection election : all.values()) {
                standing.add(election.stand(campaign(tenure, election.name())));
                begun.add(standing.get(standing.size() - 1));
            }
            others.forEach(other -> begun.add(other.apply(tenure)));
        } catch (IllegalArgumentException | IllegalStateException refused) {
            begun.forEach(LedElections::close);
            throw refused instanceof TenureConfigurationException known
                    ? known
                    : new TenureConfigurationException(
                            "this application cannot stand in its elections",
                            String.valueOf(refused.getMessage()),
                            refused);
        }
        candidacies = List.copyOf(standing);
        running = List.copyOf(begun);
    }

    private Campaign campaign(Tenure tenure, ElectionName election) {
        Campaign campaign =
                settings.getOrDefault(election, UnaryOperator.identity()).apply(tenure.elect(election.toString()));
        for (CampaignCustomizer customizer : customizers) {
            campaign = customizer.customize(election, campaign);
        }
        return campaign;
    }

    /** Drains and releases, each bounded by its client; returns the elections that it stood in until now. */
    public synchronized List<ElectionName> leave() {
        List<CompletableFuture<Void>> ends = running.stream()
                .map(one -> CompletableFuture.runAsync(() -> close(one), closing))
                .toList();
        running = List.of();
        ends.forEach(CompletableFuture::join);
        List<ElectionName> left = candidacies.stream().map(Candidacy::election).toList();
        candidacies = List.of();
        return left;
    }

    private static void close(AutoCloseable running) {
        try {
            running.close();
        } catch (Exception failure) {
            throw new IllegalStateException("cannot close " + running, failure);
        }
    }
}
