package dev.tenure.zookeeper;

/** The ways of one session to its latches; what goes the same way at the same time goes together. */
record Traffic(Looks looks, Entrances entrances, Exits exits, Vigils vigils) {
    static Traffic of(Calls calls, Settings settings, long sessionId, Convoy.Road road) {
        Looks looks = new Looks(calls, settings, road);
        Entrances entrances = new Entrances(calls, settings, sessionId, looks, road);
        return new Traffic(looks, entrances, new Exits(calls, road), new Vigils(calls, road));
    }
}
