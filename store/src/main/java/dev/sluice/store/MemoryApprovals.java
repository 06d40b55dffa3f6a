package dev.sluice.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The questions of a {@link MemoryEngine}. */
final class MemoryApprovals implements ApprovalStore {

    private static final String SECRET = "approvals";

    private final MemoryTransaction transaction;

    MemoryApprovals(MemoryTransaction transaction) {
        this.transaction = transaction;
    }

    private Map<String, Approval> all() {
        return transaction.state().approvals;
    }

    private Stream<Approval> live(Instant now) {
        return all().values().stream().filter(each -> each.ends().isAfter(now)).sorted(Approval.ORDER);
    }

    @Override
    public void ask(Approval approval) {
        if (all().containsKey(approval.id())) {
            throw new StoreException("a question `" + approval.id() + "` was asked before: give each another id");
        }
        transaction.put(all(), approval.id(), approval);
    }

    @Override
    public Optional<Approval> byId(String id) {
        return Optional.ofNullable(all().get(id));
    }

    @Override
    public Optional<Approval> ofCall(String call, Instant now) {
        return live(now).filter(each -> each.call().equals(call)).reduce((first, second) -> second);
    }

    @Override
    public List<Approval> ofFlow(String flow, Instant now) {
        return live(now)
                .filter(each ->
                        each.flow().equals(flow) && each.reach() == Reach.FLOW && each.status() == Status.APPROVED)
                .toList();
    }

    @Override
    public List<Approval> open(Instant now) {
        return live(now).toList();
    }

    @Override
    public boolean answer(String id, Status answer, Reach reach, Instant ends, Instant now) {
        if (answer != Status.APPROVED && answer != Status.DENIED) {
            throw new IllegalArgumentException("`" + answer + "` is no answer: say yes or no");
        }
        Approval asked = all().get(id);
        if (asked == null || asked.status() != Status.PENDING || !asked.ends().isAfter(now)) {
            return false;
        }
        put(asked, ends, answer, reach, 0);
        return true;
    }

    @Override
    public boolean use(String id, Instant now) {
        Approval approved = all().get(id);
        if (approved == null
                || approved.status() != Status.APPROVED
                || !approved.ends().isAfter(now)) {
            return false;
        }
        put(
                approved,
                approved.ends(),
                approved.reach() == Reach.CALL ? Status.USED : Status.APPROVED,
                approved.reach(),
                approved.uses() + 1);
        return true;
    }

    @Override
    public boolean revoke(String id, Instant now) {
        Approval approved = all().get(id);
        if (approved == null
                || approved.status() != Status.APPROVED
                || !approved.ends().isAfter(now)) {
            return false;
        }
        put(approved, now, approved.status(), approved.reach(), approved.uses());
        return true;
    }

    private void put(Approval old, Instant ends, Status status, Reach reach, long uses) {
        transaction.put(
                all(),
                old.id(),
                new Approval(
                        old.id(),
                        old.call(),
                        old.flow(),
                        old.principal(),
                        old.session(),
                        old.question(),
                        old.asked(),
                        ends,
                        status,
                        reach,
                        uses));
    }

    @Override
    public boolean spend(String nonce, Instant ends, Instant now) {
        Map<String, Instant> spent = transaction.state().spent;
        List<String> over = spent.entrySet().stream()
                .filter(each -> !each.getValue().isAfter(now))
                .map(Map.Entry::getKey)
                .toList();
        over.forEach(each -> transaction.remove(spent, each));
        if (spent.containsKey(nonce)) {
            return false;
        }
        transaction.put(spent, nonce, ends);
        return true;
    }

    @Override
    public String secret(String fresh) {
        Map<String, String> secrets = transaction.state().secrets;
        String kept = secrets.get(SECRET);
        if (kept != null) {
            return kept;
        }
        transaction.put(secrets, SECRET, fresh);
        return fresh;
    }

    @Override
    public int forget(Instant before) {
        List<String> over = all().values().stream()
                .filter(each -> !each.ends().isAfter(before))
                .map(Approval::id)
                .toList();
        over.forEach(id -> transaction.remove(all(), id));
        return over.size();
    }
}
