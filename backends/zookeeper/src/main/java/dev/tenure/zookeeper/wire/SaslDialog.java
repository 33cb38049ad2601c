package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.RealmCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;

/** Proves by DIGEST-MD5 that this side knows the password, and that the server does. */
final class SaslDialog {
    private static final byte[] NOTHING = {};

    private final String user;
    private final String password;
    private Optional<SaslClient> begun = Optional.empty();

    SaslDialog(String user, String password) {
        this.user = user;
        this.password = password;
    }

    /** The server begins; we only say that it may. */
    byte[] opening() throws IOException {
        String[] mechanisms = {"DIGEST-MD5"};
        SaslClient client =
                Sasl.createSaslClient(mechanisms, user, "zookeeper", "zk-sasl-md5", Map.of(), this::answerAll);
        if (client == null) {
            throw new IOException("this JVM knows no DIGEST-MD5");
        }
        begun = Optional.of(client);
        return client.hasInitialResponse() ? said(client.evaluateChallenge(NOTHING)) : NOTHING;
    }

    /** What to say next; empty once both are content. */
    Optional<byte[]> next(byte[] challenge) throws SaslException {
        SaslClient client = begun.orElseThrow();
        if (client.isComplete()) {
            return Optional.empty();
        }
        byte[] answer = said(client.evaluateChallenge(challenge));
        return client.isComplete() ? Optional.empty() : Optional.of(answer);
    }

    private static byte[] said(byte[] answer) {
        return answer == null ? NOTHING : answer;
    }

    private void answerAll(Callback... questions) {
        for (Callback question : questions) {
            if (question instanceof NameCallback name) {
                name.setName(user);
            } else if (question instanceof PasswordCallback secret) {
                secret.setPassword(password.toCharArray());
            } else if (question instanceof RealmCallback realm) {
                realm.setText(realm.getDefaultText());
            } else if (question instanceof AuthorizeCallback authorize) {
                authorize.setAuthorized(authorize.getAuthenticationID().equals(authorize.getAuthorizationID()));
            }
        }
    }
}
