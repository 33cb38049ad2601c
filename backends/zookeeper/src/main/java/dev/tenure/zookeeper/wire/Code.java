package dev.tenure.zookeeper.wire;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What came of a request, in the numbers of ZooKeeper's protocol. */
public enum Code {
    OK(0),
    SYSTEMERROR(-1),
    RUNTIMEINCONSISTENCY(-2),
    DATAINCONSISTENCY(-3),
    /** Told on this side: the connection broke before the answer came. */
    CONNECTIONLOSS(-4),
    MARSHALLINGERROR(-5),
    UNIMPLEMENTED(-6),
    OPERATIONTIMEOUT(-7),
    BADARGUMENTS(-8),
    NONODE(-101),
    NOAUTH(-102),
    BADVERSION(-103),
    NOCHILDRENFOREPHEMERALS(-108),
    NODEEXISTS(-110),
    NOTEMPTY(-111),
    SESSIONEXPIRED(-112),
    INVALIDACL(-114),
    AUTHFAILED(-115),
    SESSIONMOVED(-118),
    NOWATCHER(-121),
    REQUESTTIMEOUT(-122),
    SESSIONCLOSEDREQUIRESASLAUTH(-124),
    QUOTAEXCEEDED(-125),
    THROTTLEDOP(-127);

    private static final Map<Integer, Code> BY_NUMBER =
            Arrays.stream(values()).collect(Collectors.toMap(code -> code.number, Function.identity()));

    private final int number;

    Code(int number) {
        this.number = number;
    }

    /** A number that nobody has told us of says that it went wrong, and nothing else. */
    static Code of(int number) {
        return BY_NUMBER.getOrDefault(number, SYSTEMERROR);
    }
}
