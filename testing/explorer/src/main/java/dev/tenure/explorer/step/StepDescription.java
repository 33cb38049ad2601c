// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.step;

import dev.tenure.explorer.model.Machines;
import dev.tenure.explorer.model.ModelMessage;
import dev.tenure.explorer.model.ModelWorld;
import dev.tenure.explorer.model.NodeModel;
import dev.tenure.explorer.model.StoreState;
import dev.tenure.internal.engine.SessionState;
import java.util.Locale;
import java.util.Optional;

/** One line of a history: what happened, and where everybody is afterwards. */
public final class StepDescription {
    private StepDescription() {}

    public static String of(ModelWorld before, Move move, ModelWorld after) {
        return String.format(Locale.ROOT, "%-78s %s", words(before, move), of(after));
    }

    private static String words(ModelWorld world, Move move) {
        String words = move.kind().words();
        return switch (move.kind()) {
            case TICK, BACK_UP, RESTORE -> words;
            case EXCHANGE, EXCHANGE_TWICE, PROCESS, DELIVER, DELAY, LOSE, LOSE_ANSWER, REFUSE ->
                words + " " + words(world.messages().get(move.subject()));
            default -> words + " " + move.subject();
        };
    }

    /** What a message is, for people. */
    private static String words(ModelMessage message) {
        Optional<String> nonce = message.nonce() == 0 ? Optional.empty() : Optional.of(" nonce " + message.nonce());
        return message.kind() + " of node " + message.node()
                + (message.session() == 0 ? "" : " session " + message.session())
                + nonce.orElse("")
                + (message.token() == 0 ? "" : " token " + message.token())
                + " (" + message.stage() + (message.orphan() ? ", orphan)" : ")");
    }

    /** Where everybody is. */
    public static String of(ModelWorld world) {
        StringBuilder places = new StringBuilder();
        for (NodeModel node : world.nodes()) {
            places.append('[')
                    .append(node.nanos / Machines.TICK)
                    .append(' ')
                    .append(session(node))
                    .append(' ')
                    .append(node.election.getClass().getSimpleName());
            node.lead.ifPresent(lead ->
                    places.append(" #").append(lead.term().token()).append(' ').append(lead.stage()));
            places.append("] ");
        }
        StoreState.Claim claim = world.store().claim();
        places.append("store ").append(world.store().ticks()).append(": ");
        return places.append(claim.held() ? "held by " + claim.session() : "vacant")
                .append(" #")
                .append(claim.token())
                .toString();
    }

    private static String session(NodeModel node) {
        if (node.session instanceof SessionState.Open open) {
            return "session " + open.id() + " until " + open.validUntilNanos() / Machines.TICK;
        }
        return node.session.getClass().getSimpleName();
    }
}
