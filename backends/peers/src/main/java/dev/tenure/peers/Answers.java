package dev.tenure.peers;

import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.peers.PeerMessage.Question;
import dev.tenure.spi.OperatorRequest;
import java.util.Optional;
import java.util.function.Consumer;

/** What this member says when it is asked. */
final class Answers {
    private final Member member;

    Answers(Member member) {
        this.member = member;
    }

    void to(Question question, Consumer<Answer> say) {
        if (question instanceof Question.Look look) {
            Optional.ofNullable(member.contests().get(look.election())).ifPresent(contest -> show(contest, say));
            say.accept(new Answer.Seen());
        } else if (question instanceof Question.LookAll) {
            member.contests().values().forEach(contest -> show(contest, say));
            say.accept(new Answer.Seen());
        } else if (question instanceof Question.Era era) {
            raise(era.atLeast(), say);
        } else if (question instanceof Question.Deliver deliver) {
            say.accept(new Answer.Delivered(deliver(deliver.request())));
        }
    }

    private static void show(Contest contest, Consumer<Answer> say) {
        contest.holding()
                .ifPresent(holding -> say.accept(new Answer.Sight(
                        holding, contest.alive().filter(holding::equals).isPresent())));
    }

    private void raise(int atLeast, Consumer<Answer> say) {
        if (atLeast <= member.journal().era()) {
            say.accept(new Answer.EraIs(member.journal().era()));
        } else {
            member.journal()
                    .raiseEra(
                            atLeast,
                            () -> say.accept(new Answer.EraIs(member.journal().era())));
        }
    }

    private boolean deliver(OperatorRequest request) {
        Optional<PeersSession> holder = Optional.ofNullable(member.contests().get(request.election()))
                .flatMap(contest -> contest.seat().holder());
        holder.ifPresent(session -> session.deliver(request));
        return holder.isPresent();
    }
}
