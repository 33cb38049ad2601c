// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.store.lease;

import dev.tenure.ElectionName;
import dev.tenure.simulator.store.StoreClock;
import dev.tenure.simulator.store.StoreHistory;
import dev.tenure.simulator.store.StoreServer;
import dev.tenure.simulator.trace.WorldTrace;
import dev.tenure.spi.BackendTraits.ExpiryDetection;
import dev.tenure.spi.Versioned;
import dev.tenure.spi.Write;
import dev.tenure.spi.WriteReply;
import dev.tenure.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A store that compares and sets, as it is at the other end of the network: it keeps its word until it is told not to. */
public final class LeaseServer implements StoreServer {
    static final String SESSIONS = "s/";
    static final String CLAIMS = "c/";
    /** No fault takes these records away or back. */
    private static final String TOKENS = "t/";

    private static final String ERA = "e";
    private static final int LOG_MAX = 16;

    private final VirtualTime time;
    private final ExpiryDetection judge;
    private final boolean issues;
    private final StoreClock clock;
    private final StoreHistory history;
    private final Map<String, Integer> elections;
    private final TreeMap<String, Stored> records = new TreeMap<>();
    private final List<RecordWatch> watches = new ArrayList<>();
    /** What stood before each of the last writes. */
    private final ArrayDeque<Undo> log = new ArrayDeque<>();

    private TreeMap<String, Stored> snapshot = new TreeMap<>();
    private long snapshotNumber;
    private long versions;
    /** Of the newest write. It goes back with the records, while versions never return. */
    private long number;

    private long lateNanos;
    boolean keepsTokens;
    boolean readsWithRenewals;

    private record Undo(String key, @Nullable Stored before, long number) {}

    /** @param issues whether the numbers of its writes are the tokens of its claims */
    public LeaseServer(
            VirtualTime time,
            ExpiryDetection judge,
            boolean issues,
            StoreClock clock,
            List<ElectionName> elections,
            StoreHistory history) {
        this.time = time;
        this.judge = judge;
        this.issues = issues;
        this.clock = clock;
        this.history = history;
        this.elections = new TreeMap<>();
        for (int i = 0; i < elections.size(); i++) {
            this.elections.put(elections.get(i).encoded(), i);
        }
    }

    /** Tokens are drawn from records that it never loses. */
    public LeaseServer keepingTokens() {
        keepsTokens = true;
        return this;
    }

    /** Renewals read records along. */
    public LeaseServer readingWithRenewals() {
        readsWithRenewals = true;
        return this;
    }

    /** A token may come back, and a lower one may be issued. */
    private void forgot() {
        if (!keepsTokens) {
            history.forgot();
        }
    }

    ExpiryDetection judge() {
        return judge;
    }

    boolean issues() {
        return issues;
    }

    int electionOf(String key) {
        return key.startsWith(CLAIMS) ? elections.getOrDefault(key.substring(2), WorldTrace.NONE) : WorldTrace.NONE;
    }

    // ---- what clients ask for

    @Nullable
    Stored find(String key) {
        Stored stored = records.get(key);
        if (stored != null && judge == ExpiryDetection.SERVER_TTL && hasExpired(stored)) {
            records.remove(key);
            history.sessionEnded(stored.name(), StoreHistory.NOBODY);
            return null;
        }
        return stored;
    }

    private boolean hasExpired(Stored stored) {
        return stored.expiresAtNanos != Stored.NEVER && clock.nanos() >= stored.expiresAtNanos + lateNanos;
    }

    Versioned view(String key, @Nullable Stored stored) {
        if (stored == null) {
            return Versioned.absent(key, clock.millis());
        }
        Optional<Duration> life = Optional.empty();
        if (judge != ExpiryDetection.OBSERVER && stored.expiresAtNanos != Stored.NEVER) {
            long leftNanos = stored.expiresAtNanos + lateNanos - clock.nanos();
            life = Optional.of(leftNanos <= 0 ? Duration.ZERO : Duration.ofNanos(leftNanos));
        }
        return new Versioned(key, Optional.of(stored.version), stored.value, life, clock.millis());
    }

    List<Versioned> list(String prefix) {
        List<Versioned> found = new ArrayList<>();
        String key = records.ceilingKey(prefix);
        while (key != null && key.startsWith(prefix)) {
            Stored stored = find(key);
            if (stored != null) {
                found.add(view(key, stored));
            }
            key = records.higherKey(key);
        }
        return found;
    }

    WriteReply set(Write write, int process) {
        Stored before = find(write.key());
        if (!isExpected(write.expected(), before)) {
            return new WriteReply.Refused(view(write.key(), before));
        }
        long ttlNanos = write.timeToLive().map(Duration::toNanos).orElse(0L);
        long expiresAtNanos = ttlNanos == 0 ? Stored.NEVER : clock.nanos() + ttlNanos;
        remember(write.key(), before);
        Stored after = new Stored(write.key(), nextVersion(), write.value(), ttlNanos, expiresAtNanos);
        records.put(after.key, after);
        recordHistory(before, after, process);
        notifyWatches(after.key);
        return new WriteReply.Applied(view(after.key, after));
    }

    WriteReply delete(Versioned expected, int process) {
        Stored before = find(expected.key());
        if (!isExpected(expected, before)) {
            return new WriteReply.Refused(view(expected.key(), before));
        }
        if (before != null) {
            remember(before.key, before);
            records.remove(before.key);
            if (before.isOpenSession()) {
                history.sessionEnded(before.name(), process);
            }
            notifyWatches(before.key);
        }
        return new WriteReply.Applied(view(expected.key(), null));
    }

    private static boolean isExpected(Versioned expected, @Nullable Stored found) {
        return found == null
                ? expected.version().isEmpty()
                : expected.version().isPresent() && expected.version().get().equals(found.version);
    }

    private String nextVersion() {
        return ++number + "@" + ++versions;
    }

    static long numberOf(String version) {
        return Long.parseLong(version.substring(0, version.indexOf('@')));
    }

    private void remember(String key, @Nullable Stored before) {
        if (!key.startsWith(TOKENS)) {
            log.addLast(new Undo(key, before, number));
        }
        if (log.size() > LOG_MAX) {
            log.removeFirst();
        }
    }

    private void recordHistory(@Nullable Stored before, Stored after, int process) {
        if (after.isSession()) {
            if (after.isOpenSession() && before == null) {
                history.sessionOpened(after.name(), process, after.ttlNanos, goodUntilNanos(after));
            } else if (after.isOpenSession()) {
                history.sessionLives(after.name(), process, after.ttlNanos, goodUntilNanos(after));
            } else if (before != null && before.isOpenSession()) {
                history.sessionEnded(after.name(), process);
            }
            return;
        }
        ClaimText claim = after.claim;
        int election = electionOf(after.key);
        if (claim != null && election != WorldTrace.NONE) {
            ClaimText was = before == null ? null : before.claim;
            if (claim.held()) {
                history.claimed(election, claim.nonce(), claim.session(), claim.token(), process);
            } else if (was != null && was.held()) {
                history.vacated(election, process);
            }
        }
    }

    private long goodUntilNanos(Stored session) {
        long byObservers = time.nanos() + session.ttlNanos;
        return judge == ExpiryDetection.OBSERVER
                ? byObservers
                : Math.min(byObservers, clock.worldNanosAt(session.expiresAtNanos));
    }

    // ---- watches

    void watch(RecordWatch hint) {
        watches.add(hint);
    }

    void unwatch(RecordWatch hint) {
        hint.closed = true;
        watches.remove(hint);
    }

    private void notifyWatches(String key) {
        for (int i = 0; i < watches.size(); i++) {
            RecordWatch hint = watches.get(i);
            if (!hint.dead && key.startsWith(hint.prefix)) {
                hint.link.push(key.hashCode(), () -> {
                    if (!hint.closed && !hint.dead) {
                        hint.changed.accept(key);
                    }
                });
            }
        }
    }

    @Override
    public boolean killWatch(long pick) {
        if (watches.isEmpty()) {
            return false;
        }
        watches.get((int) Long.remainderUnsigned(pick, watches.size())).dead = true;
        return true;
    }

    @Override
    public void spuriousNotice(int election) {
        for (Map.Entry<String, Integer> each : elections.entrySet()) {
            if (each.getValue() == election) {
                notifyWatches(CLAIMS + each.getKey());
            }
        }
    }

    // ---- faults

    @Override
    public void expireLate(long byNanos) {
        lateNanos = byNanos;
    }

    @Override
    public boolean stepClock(long byNanos) {
        clock.step(byNanos);
        if (byNanos > 0 && judge != ExpiryDetection.OBSERVER) {
            records.values().stream().filter(Stored::isOpenSession).forEach(each -> history.sessionBroken(each.name()));
        }
        if (byNanos < 0 && issues) {
            number /= 2; // its clock is not asked for, but its numbers may go back while its records stay
        } else if (byNanos < 0) {
            history.clockWentBack();
        }
        return true;
    }

    @Override
    public boolean revokeSession(long pick) {
        List<Stored> open = new ArrayList<>();
        for (Stored each : records.values()) {
            if (each.isOpenSession()) {
                open.add(each);
            }
        }
        if (open.isEmpty()) {
            return false;
        }
        Stored unlucky = open.get((int) Long.remainderUnsigned(pick, open.size()));
        history.sessionBroken(unlucky.name());
        history.sessionEnded(unlucky.name(), StoreHistory.NOBODY);
        records.remove(unlucky.key);
        return true;
    }

    @Override
    public boolean deleteClaim(int election) {
        String key = keyOf(election);
        if (records.remove(key) == null) {
            return false;
        }
        history.claimBroken(election);
        forgot();
        notifyWatches(key);
        return true;
    }

    /** The operator writes another session's name into the record. */
    @Override
    public boolean editClaim(int election) {
        return rewriteClaim(election, "session", "0000000000000000deadbeefdeadbeef");
    }

    @Override
    public boolean garbleClaim(int election) {
        String key = keyOf(election);
        Stored before = records.get(key);
        if (before == null) {
            return false;
        }
        records.put(key, new Stored(key, nextVersion(), "garbage", 0, Stored.NEVER));
        history.claimBroken(election);
        notifyWatches(key);
        return true;
    }

    @Override
    public void repairClaim(int election) {
        String key = keyOf(election);
        Stored now = records.get(key);
        if (now != null && now.value.equals("garbage")) {
            records.remove(key);
            forgot();
            notifyWatches(key);
        }
    }

    private boolean rewriteClaim(int election, String field, String value) {
        String key = keyOf(election);
        Stored before = records.get(key);
        if (before == null || before.claim == null || before.claim.session().isEmpty()) {
            return false;
        }
        String edited = before.value.replace(
                "\n" + field + "=" + ClaimText.field(before.value, field) + "\n", "\n" + field + "=" + value + "\n");
        records.put(key, new Stored(key, nextVersion(), edited, 0, Stored.NEVER));
        if (issues) {
            forgot(); // an edit of a claim gives it another token, perhaps a lower one
        }
        history.claimBroken(election);
        notifyWatches(key);
        return true;
    }

    private String keyOf(int election) {
        for (Map.Entry<String, Integer> each : elections.entrySet()) {
            if (each.getValue() == election) {
                return CLAIMS + each.getKey();
            }
        }
        throw new IllegalArgumentException("no election " + election);
    }

    @Override
    public void takeSnapshot() {
        snapshot = new TreeMap<>(records);
        snapshotNumber = number;
    }

    @Override
    public void wipe() {
        number = 0;
        replaceWith(new TreeMap<>());
    }

    @Override
    public void restoreSnapshot() {
        number = snapshotNumber;
        replaceWith(new TreeMap<>(snapshot));
    }

    @Override
    public void loseLast(int writes) {
        TreeMap<String, Stored> older = new TreeMap<>(records);
        for (int i = 0; i < writes && !log.isEmpty(); i++) {
            Undo undo = log.removeLast();
            number = undo.number;
            if (undo.before == null) {
                older.remove(undo.key);
            } else {
                older.put(undo.key, undo.before);
            }
        }
        replaceWith(older);
    }

    private void replaceWith(Map<String, Stored> other) {
        log.clear();
        forgot();
        records.tailMap(TOKENS, true).forEach((key, token) -> other.put(key, token));
        TreeSet<String> keys = new TreeSet<>(records.keySet());
        keys.addAll(other.keySet());
        TreeMap<String, Stored> before = new TreeMap<>(records);
        records.clear();
        records.putAll(other);
        for (String key : keys) {
            Stored was = before.get(key);
            Stored is = other.get(key);
            if (was != is) {
                replaced(key, was, is);
            }
        }
    }

    private void replaced(String key, @Nullable Stored was, @Nullable Stored is) {
        if (key.startsWith(SESSIONS)) {
            String session = key.substring(2);
            history.sessionBroken(session);
            if (is != null && is.isOpenSession()) {
                history.sessionLives(session, StoreHistory.NOBODY, is.ttlNanos, goodUntilNanos(is));
            } else if (was != null && was.isOpenSession()) {
                history.sessionEnded(session, StoreHistory.NOBODY);
            }
        }
        int election = electionOf(key);
        if (election != WorldTrace.NONE) {
            history.claimBroken(election);
            ClaimText claim = is == null ? null : is.claim;
            if (claim != null && claim.held()) {
                history.claimRestored(election, claim.nonce());
            }
            notifyWatches(key);
        }
    }

    @Override
    public void forgetSessions() {
        TreeMap<String, Stored> rest = new TreeMap<>(records);
        rest.keySet().removeIf(key -> key.startsWith(SESSIONS));
        replaceWith(rest);
    }

    @Override
    public int era() {
        Stored stored = records.get(ERA);
        return stored == null ? 0 : Integer.parseInt(ClaimText.field(stored.value, "era"));
    }

    @Override
    public void setEra(int era) {
        Stored stored = records.get(ERA);
        if (stored != null) {
            String raised = stored.value.replace("\nera=" + era() + "\n", "\nera=" + era + "\n");
            records.put(ERA, new Stored(ERA, nextVersion(), raised, 0, Stored.NEVER));
        }
    }

    @Override
    public int sessionsOpen() {
        int open = 0;
        for (Stored each : List.copyOf(records.values())) {
            Stored found = find(each.key);
            open += found != null && found.isOpenSession() ? 1 : 0;
        }
        return open;
    }
}
