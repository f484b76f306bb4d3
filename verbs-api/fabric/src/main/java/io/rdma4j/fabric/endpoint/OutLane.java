/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.fabric.region.DirectoryEntry;
import io.rdma4j.fabric.region.DirectoryLayout;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;

import org.agrona.DirectBuffer;

/**
 * Where RMA and atomics go out. For the thread that uses the endpoint, which reads its completion queue, too.
 *
 * <pre>{@code
 *            an operation failed            reset; up in the next epoch
 *   UP ----------------------------> BROKEN --------------------------+------> UP, the others posted again
 *    ^                                  |                             |
 *    |                                  v cannot be mended            v the failed one's key was looked up before
 *    |                                LOST                          ASKING
 *    +----------------------------------------------------------------+ the failed one, or what is left
 * }</pre>
 *
 * An epoch in which the peer has answered nothing at all is begun anew a few times: it has not mended its end yet.
 */
final class OutLane {
    /** How often an operation is posted again, because its key meant something else meanwhile. */
    private static final int MOST_TRIES = 8;
    /** How often the lane begins a life anew for a peer that has not mended its end: 4.3 s each, more by a wire. */
    private static final int MOST_BEGINNINGS = 3;
    private static final int UP = 0;
    private static final int BROKEN = 1;
    private static final int RESET = 2;
    private static final int ASKING = 3;
    private static final int LOST = 4;
    private static final int NOBODY = -1;

    private final RcLink link;
    private final QueuePair qp;
    private final OpRing ring;
    private final KeyCache cache = new KeyCache();
    private final RemoteMemory remote;
    private final LocalMemory local;
    private final KeyLookup lookup;
    private final OutPosts posts;
    private final AtomicSteps steps;
    /** The device begins no request to this peer before the one in front is over. */
    private boolean inTurn;
    /** What operations without flags have. */
    private final int quiet;
    private PeerName peer;
    private int firstPsn;
    private int nextPsn;
    private int epoch;
    private int state = UP;
    private boolean isConnected;
    private volatile boolean isOver;

    /** Of the operation that broke the lane; NOBODY if it was a look into the directory. */
    private int failedSlot = NOBODY;
    private int failedWhat;
    private boolean lookupFailed;
    private WcStatus failedStatus;
    private int failedDetail;
    private long mended;
    /** How often the life may begin anew while the peer, which mends its end, has answered nothing in it. */
    private int beginningsLeft;
    private boolean beginsAnew;

    OutLane(final RcLink link, final OpRing ring, final boolean selective) {
        final LaneSizes sizes = link.sizes();
        this.quiet = selective ? OpRing.QUIET : 0;
        this.link = link;
        this.local = link.local();
        this.ring = ring;
        this.remote =
            new RemoteMemory(link.host().mappedKeys(), cache, link.host().info().needs(MrMode.RAW));
        // Each may be two work requests; and one that looks a key up.
        this.qp = link.realm().pd().createQp(sizes.out(link.transmit().cq()));
        try {
            this.lookup = new KeyLookup(qp, link.realm(), sizes.outSlots() * sizes.injected());
            this.posts = new OutPosts(qp, ring, lookup, sizes);
            this.steps = new AtomicSteps(ring, posts, lookup);
        } catch (final RuntimeException e) {
            qp.close();
            throw e;
        }
        this.firstPsn = qp.localAddress().psn();
    }

    int qpNumber() {
        return qp.qpNumber();
    }

    int psn() {
        return firstPsn;
    }

    void connect(final PeerName to, final int port) {
        peer = to;
        posts.connect(port);
        remote.connect(to);
        lookup.connect(to, WorkId.of(port, WorkId.LOOKUP));
        nextPsn = firstPsn;
        inTurn = link.host().context().supports(Feature.REQUESTS_IN_TURN)
            && !link.host().context().isByWire(to.gid());
        LaneSteps.init(qp, false);
        bringUp();
        isConnected = true;
    }

    private void bringUp() {
        LaneSteps.connect(qp, peer.gid(), peer.inQpn(), 0, nextPsn);
    }

    /** 0, or why nothing can be posted now. */
    int check() {
        if (state == UP && isConnected && !isOver) {
            return ring.isFull() || posts.areCrowded() || steps.areUnderWay() ? -FiErrno.FI_EAGAIN : 0;
        }
        return state == LOST || !isConnected || isOver ? -FiErrno.FI_ENOTCONN : -FiErrno.FI_EAGAIN;
    }

    /** Starts an operation; after {@link #check()} and with the operands set by the caller in {@code rma}. */
    int start(final Rma rma, final Object owner, final long context) {
        final RmaOperation operation = rma.operation;
        final int refusal = rma.find(local, owner);
        if (refusal != 0) {
            return refusal;
        }
        final int answer = remote.find(operation, rma.key, rma.remoteAddress, rma.length);
        if (answer == RemoteMemory.ASK) {
            local.letGo();
            return ask(rma.key);
        }
        if (rma.operation == RmaOperation.SWAP && remote.cellIova != 0) {
            // Only who sees what was there knows whether there is something to be counted.
            local.letGo();
            return startLoop(rma.inSteps(), context, rma.asksForCompletion() ? 0 : quiet);
        }
        final int crowded = posts.check(remote, rma.length);
        if (crowded != 0) {
            local.letGo();
            return crowded;
        }
        final int slot = ring.claim(rma.kind(), context, rma.length, local.cached());
        if (quiet != 0 && !rma.asksForCompletion()) {
            ring.flag(slot, quiet);
        }
        if (answer == RemoteMemory.REFUSED) {
            ring.done(slot, remote.errno, remote.detail);
            return 0;
        }
        posts.keep(slot, rma, local.deviceAddress(), local.lkey());
        if (rma.landsHere) {
            posts.place(slot);
        }
        return postNew(slot);
    }

    /** Starts an atomic that takes several steps; after {@link #check()}. */
    int startLoop(final Rma rma, final long context, final int flags) {
        final Modification asked = rma.modification;
        final int refusal = rma.findResult(local);
        if (refusal != 0) {
            return refusal;
        }
        asked.resultRegion(asked.fetches() ? local.descriptor() : null);
        final int answer = remote.find(RmaOperation.ADD, rma.key, asked.firstWord(), asked.span());
        if (answer == RemoteMemory.ASK) {
            return ask(rma.key);
        }
        final int slot = ring.claim(rma.kind(), context, Long.BYTES, null);
        ring.flag(slot, flags);
        if (answer == RemoteMemory.REFUSED) {
            ring.done(slot, remote.errno, remote.detail);
            return 0;
        }
        steps.begin(slot, rma);
        final int code = postNew(slot);
        if (code != 0) {
            steps.abandon();
        }
        return code;
    }

    /** Starts a read or write of what is in {@code from}, which are copied first if they are to be injected. */
    int start(final Rma rma, final LocalBuffers from, final long context, final int flags, final boolean inject) {
        final RmaOperation operation = rma.operation;
        final int answer = remote.find(operation, rma.key, rma.remoteAddress, rma.length);
        if (answer == RemoteMemory.ASK) {
            from.letGo();
            return ask(rma.key);
        }
        final int crowded = posts.check(remote, rma.length);
        if (crowded != 0) {
            from.letGo();
            return crowded;
        }
        final int slot = ring.claim(operation.kind, context, rma.length, from.take(0));
        for (int i = 1; i < from.count(); i++) {
            ring.keep(slot, i, from.take(i));
        }
        ring.flag(slot, flags);
        if (answer == RemoteMemory.REFUSED) {
            ring.done(slot, remote.errno, remote.detail);
            return 0;
        }
        posts.keep(slot, rma, 0, 0);
        if (inject) {
            posts.place(slot);
        } else {
            posts.keep(slot, from);
        }
        return postNew(slot);
    }

    /** Puts a copy of what is written next where it is sent from; after {@link #check}. */
    void copy(final DirectBuffer from, final int length) {
        lookup.buffer().putBytes(posts.placeOf(ring.nextSlot()), from, 0, length);
    }

    private int postNew(final int slot) {
        point(slot);
        final int code = post(slot);
        if (code != ReturnCode.OK) {
            ring.unclaim();
        }
        return Failures.negated(code);
    }

    /** Writes where the peer's device finds the memory, as it was found just now. */
    private void point(final int slot) {
        posts.point(slot, remote, steps.areOf(slot));
    }

    /** All or nothing: the queue has room for what the ring holds. */
    private int post(final int slot) {
        final int code = posts.post(slot, steps.areOf(slot));
        if (code == OutPosts.IN_PART) {
            lose(FiErrno.FI_EIO, Failures.LANE_LOST);
            return ReturnCode.WRONG_STATE;
        }
        return code;
    }

    private void postCount(final int slot) {
        if (posts.postCount(slot) != ReturnCode.OK) {
            lose(FiErrno.FI_EIO, Failures.LANE_LOST);
        }
    }

    private int ask(final long key) {
        // A life that begins anew asks first: then nothing may have been in front.
        if (!lookup.isBusy() && (beginningsLeft == 0 || !ring.hasUnderWay())) {
            final DirectoryEntry table = remote.tableOf(key);
            final int code = table == null ? lookup.start(key) : lookup.start(key, table);
            if (code != ReturnCode.OK && code != ReturnCode.QUEUE_FULL) {
                return Failures.negated(code);
            }
            link.wantsProgress();
        }
        return -FiErrno.FI_EAGAIN;
    }

    /** The device completed something. */
    void completed(final int what, final int slot, final Completion completion) {
        final WcStatus status = completion.status();
        if (status != WcStatus.SUCCESS) {
            failed(what, slot, status, completion.vendorError());
            return;
        }
        beginningsLeft = 0;
        if (what == WorkId.LOOKUP) {
            lookup.arrived();
        } else if (ring.isUnderWay(slot)) {
            if (steps.areOf(slot)) {
                stepped(slot, what);
            } else {
                ring.done(slot, 0, 0);
            }
        }
    }

    private void stepped(final int slot, final int what) {
        switch (steps.next(what)) {
            case AtomicSteps.POST -> repost(slot);
            case AtomicSteps.COUNT -> postCount(slot);
            default -> { }
        }
    }

    /** The first one says what happened; those behind it are flushed. */
    private void failed(final int what, final int slot, final WcStatus status, final int vendorError) {
        if (state != UP && state != ASKING || what != WorkId.LOOKUP && !ring.isUnderWay(slot)) {
            return;
        }
        link.wantsProgress();
        beginsAnew = status == WcStatus.RETRY_EXC_ERR && beginningsLeft > 0;
        if (beginsAnew) {
            // The peer's thread has had no processor: nothing of this life is wrong.
            beginningsLeft--;
            state = BROKEN;
            return;
        }
        lookupFailed = what == WorkId.LOOKUP;
        // While the key of a failed operation is looked up there is nothing else that can fail.
        if (state == UP) {
            failedSlot = lookupFailed ? NOBODY : slot;
            failedWhat = what;
        }
        state = BROKEN;
        failedStatus = status;
        failedDetail = Failures.detail(status, vendorError);
    }

    /** Reader: goes on with what is to be done; whether there will be more. */
    boolean progress() {
        if (state == BROKEN) {
            mend();
        } else if (state == RESET) {
            comeUp();
        }
        if (lookup.isBusy() && (state == UP || state == ASKING)
            && lookup.step(cache) != ReturnCode.OK) {
            lookup.finish(cache, KeyCache.UNREADABLE);
        }
        if (state == ASKING && !lookup.isBusy()) {
            answered();
        }
        return lookup.isBusy() || isMending();
    }

    /** Whether the next read is to go on, without an event. */
    boolean isMending() {
        return state == BROKEN || state == RESET || state == ASKING;
    }

    private static boolean isRefusal(final WcStatus status) {
        return status == WcStatus.REM_ACCESS_ERR || status == WcStatus.REM_INV_REQ_ERR
            || status == WcStatus.REM_OP_ERR;
    }

    static boolean isOwnFault(final WcStatus status) {
        return status == WcStatus.LOC_PROT_ERR || status == WcStatus.LOC_LEN_ERR || status == WcStatus.LOC_QP_OP_ERR;
    }

    private void mend() {
        final boolean refused = isRefusal(failedStatus);
        if (!link.canMend() || !beginsAnew && !isMendable(refused)) {
            lose(Failures.errno(failedStatus, false), failedDetail);
            return;
        }
        try {
            if (!beginsAnew) {
                chooseNextPsn(refused);
            }
            // Else as this life began: should only answers have been lost, the peer takes requests as repeated.
            qp.modify(QpAttributes.to(QpState.RESET));
        } catch (final RdmaException e) {
            lose(Failures.errno(failedStatus, false), failedDetail);
            return;
        }
        state = RESET;
        comeUp();
    }

    /** After a refusal the other end counts one up, too. A fault of this side's it has not even heard of. */
    private void chooseNextPsn(final boolean refused) {
        if (refused) {
            epoch++;
            nextPsn = LaneSteps.psn(firstPsn, epoch);
            beginningsLeft = MOST_BEGINNINGS;
        } else {
            nextPsn = qp.query().sqPsn();
        }
    }

    private boolean isMendable(final boolean refused) {
        return refused ? peer.has(PeerName.MENDS) : isOwnFault(failedStatus);
    }

    private void comeUp() {
        try {
            LaneSteps.init(qp, false);
            bringUp();
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.EBUSY) {
                lose(Failures.errno(failedStatus, false), failedDetail);
            }
            // Else completions from before are to be polled first: the next read does.
            return;
        }
        if (isOver) {
            // The connection ended in between, when the queue pair could not be told.
            LaneSteps.fail(qp);
        }
        mended++;
        state = ASKING;
        if (beginsAnew) {
            askAgain();
        } else {
            judge();
        }
    }

    /** What was asked for last; the rest is posted when that is known. */
    private void askAgain() {
        if (lookup.isBusy() && lookup.post() != ReturnCode.OK) {
            lookup.finish(cache, KeyCache.UNREADABLE);
        }
    }

    /** What is to become of the operation that broke the lane. */
    private void judge() {
        if (lookupFailed) {
            lookup.failed(cache);
            return;
        }
        if (asksAgain()) {
            return;
        }
        final boolean mayHaveGoneOn = isOwnFault(failedStatus) && !inTurn && !isReadBefore(failedSlot);
        ring.done(failedSlot, Failures.errno(failedStatus, false), failedDetail);
        failedSlot = NOBODY;
        if (mayHaveGoneOn) {
            // The peer has not failed, and may have carried out what was sent behind: not twice.
            ring.cancelAll(FiErrno.FI_ECANCELED, Failures.FATE_UNKNOWN);
        }
        askAgain();
    }

    /** Whether its memory is read when it is sent, so that nothing behind it was; else it is written by the answer. */
    private boolean isReadBefore(final int slot) {
        return RmaOperation.of(ring.getInt(slot, OpRing.OPERATION)).localAccess == 0;
    }

    /**
     * Whether the key is looked up: it may mean something else now, or only the peer's directory tells what was wrong.
     */
    private boolean asksAgain() {
        final long key = remote.listedKey(ring.getLong(failedSlot, OpRing.KEY));
        if (failedStatus != WcStatus.REM_ACCESS_ERR || peer.capacity() == 0) {
            return false;
        }
        cache.drop(cache.find(key));
        if (failedWhat == WorkId.CELL) {
            // It has been carried out, but is not counted.
            return false;
        }
        final int tries = ring.getInt(failedSlot, OpRing.TRIES) + 1;
        ring.putInt(failedSlot, OpRing.TRIES, tries);
        if (tries > MOST_TRIES) {
            failedDetail = Failures.UNSTEADY_KEY;
            return false;
        }
        return lookup.start(key) == ReturnCode.OK;
    }

    /** Nothing is looked up any more: the failed operation, if it is left, and those behind it go on. */
    private void answered() {
        remote.isRepeated(true);
        final long key = failedSlot == NOBODY ? 0 : remote.listedKey(ring.getLong(failedSlot, OpRing.KEY));
        if (failedSlot != NOBODY) {
            answeredFailed();
        }
        state = UP;
        postAgain();
        remote.isRepeated(false);
        if (failedSlot != NOBODY) {
            forget(key);
        }
        failedSlot = NOBODY;
    }

    /** What objects to the next operation is to be looked up for that one. */
    private void forget(final long key) {
        final int at = cache.find(key);
        if (cache.state(at) == DirectoryLayout.LIVE) {
            cache.takeFresh(at);
        } else {
            cache.drop(at);
        }
    }

    private void answeredFailed() {
        if (!remote.isLookedUp(ring.getLong(failedSlot, OpRing.KEY))) {
            explainFailed();
            return;
        }
        final long iova = ring.getLong(failedSlot, OpRing.IOVA);
        final int rkey = ring.getInt(failedSlot, OpRing.RKEY);
        final int answer = find(failedSlot);
        if (answer == RemoteMemory.REFUSED) {
            ring.done(failedSlot, remote.errno, remote.detail);
        } else if (answer != RemoteMemory.FOUND || remote.rkey == rkey && remote.iova == iova) {
            ring.done(failedSlot, Failures.errno(failedStatus, false), failedDetail);
        }
    }

    /** The device's own key was used, and the device did not say what it minds. */
    private void explainFailed() {
        if (remote.explain(RmaOperation.of(ring.getInt(failedSlot, OpRing.OPERATION)),
            ring.getLong(failedSlot, OpRing.KEY), ring.getLong(failedSlot, OpRing.REMOTE),
            ring.getLong(failedSlot, OpRing.LENGTH), ring.getInt(failedSlot, OpRing.RKEY))) {
            ring.done(failedSlot, remote.errno, remote.detail);
        } else {
            ring.done(failedSlot, Failures.errno(failedStatus, false), failedDetail);
        }
    }

    private int find(final int slot) {
        return remote.find(RmaOperation.of(ring.getInt(slot, OpRing.OPERATION)), ring.getLong(slot, OpRing.KEY),
            ring.getLong(slot, OpRing.REMOTE), ring.getLong(slot, OpRing.LENGTH));
    }

    private void postAgain() {
        int slot = ring.first();
        for (int left = ring.size(); left > 0 && state == UP; left--) {
            if (ring.isUnderWay(slot)) {
                postAgain(slot);
            }
            slot = ring.next(slot);
        }
    }

    private void postAgain(final int slot) {
        switch (find(slot)) {
            case RemoteMemory.REFUSED -> ring.done(slot, remote.errno, remote.detail);
            case RemoteMemory.FOUND -> {
                point(slot);
                repost(slot);
            }
            // Dropped meanwhile: as it was, and if that is wrong it will be found out.
            default -> repost(slot);
        }
    }

    private void repost(final int slot) {
        if (steps.areDone(slot)) {
            postCount(slot);
        } else if (post(slot) != ReturnCode.OK) {
            lose(FiErrno.FI_EIO, Failures.LANE_LOST);
        }
    }

    private void lose(final int errno, final int detail) {
        state = LOST;
        // The memory of what is under way is given up: nothing may touch it any more.
        link.stop(qp);
        if (failedSlot != NOBODY && ring.isUnderWay(failedSlot)) {
            ring.done(failedSlot, errno, detail);
        }
        ring.cancelAll(FiErrno.FI_ECANCELED, Failures.LANE_LOST);
        final String why = "its lane outwards: " + failedStatus;
        if (failedStatus == WcStatus.RETRY_EXC_ERR) {
            // Nobody is there any more: who waits for a message would not hear of it.
            link.end(why);
        } else {
            link.lost(why);
        }
    }

    /** How often it came up again. */
    long mended() {
        return mended;
    }

    /** The connection is over: what is flushed gives the lane up. From any thread. */
    void end() {
        isOver = true;
        LaneSteps.fail(qp);
    }

    void close() {
        try {
            qp.close();
        } finally {
            lookup.close();
        }
    }

    @Override
    public String toString() {
        return "lane outwards " + qp + ", epoch " + epoch + ", " + ring;
    }
}
