// SPDX-License-Identifier: Apache-2.0
package dev.tenure.internal.runtime.term;

import dev.tenure.ActivePassive;
import dev.tenure.Duty;
import dev.tenure.ElectionName;
import dev.tenure.Fence;
import dev.tenure.LeaderMetadata;
import dev.tenure.internal.engine.ElectionRules;
import java.util.List;

/** What a candidacy stands for, and how: the election, and the user's code. */
public record CandidacySpec(ElectionName election, CandidacyOptions options, UserCode code) {
    /** A duty, a service, or a caller that waits for a term. */
    public interface UserCode {
        default void warmUp() throws Exception {}

        TermTask task(LeadershipHandle leadership);
    }

    public static CandidacySpec of(ElectionName election, CandidacyOptions options, Duty duty) {
        return new CandidacySpec(election, options, leadership -> new TermTask.OfDuty(duty, leadership));
    }

    public static CandidacySpec of(ElectionName election, CandidacyOptions options, ActivePassive service) {
        return new CandidacySpec(election, options, new UserCode() {
            @Override
            public void warmUp() throws Exception {
                service.warmUp();
            }

            @Override
            public TermTask task(LeadershipHandle leadership) {
                return new TermTask.OfService(service, leadership);
            }
        });
    }

    /** How a process stands, apart from the election and the user's code: campaigns that change nothing share one of these. */
    public record CandidacyOptions(String holder, ElectionRules rules, LeaderMetadata metadata, List<Fence> fences) {
        public CandidacyOptions {
            fences = List.copyOf(fences);
        }

        public CandidacyOptions with(ElectionRules changed) {
            return new CandidacyOptions(holder, changed, metadata, fences);
        }
    }
}
