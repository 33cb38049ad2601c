package dev.tenure.zookeeper;

/** The ways of one session to its latches; what goes the same way at the same time goes together. */
record Traffic(Looks looks, Entrances entrances, Exits exits, Vigils vigils) {
    static Traffic of(Calls calls, Settings settings, long sessionId, Batches batches) {
        Looks looks = new Looks(calls, settings, batches);
        Entrances entrances = new Entrances(calls, settings, sessionId, looks, batches);
        return new Traffic(looks, entrances, new Exits(calls, batches), new Vigils(calls, batches));
    }
}
