/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.ReceiveContext;
import io.rdma4j.fabric.av.PeerAddress;
import io.rdma4j.fabric.av.PeerTable;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OfferedKinds;
import io.rdma4j.fabric.completion.Room;
import io.rdma4j.fabric.region.LocalMemory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.AccessFlag;

import java.util.Set;

/**
 * Where an endpoint receives. One that is bound to a shared receive context has the matcher of that one, its own queue,
 * and takes no receives. For the thread that uses the endpoint.
 */
final class RdmReceiveContext implements ReceiveContext {
    private static final long FLAGS = OpFlags.COMPLETION | OpFlags.MORE;
    private static final long SEARCH_FLAGS = OpFlags.PEEK | OpFlags.CLAIM | OpFlags.DISCARD;
    private static final int WRITABLE = AccessFlag.LOCAL_WRITE.bit();

    private final FabricCompletionQueue queue;
    private final Matcher matcher;
    private final LocalMemory local;
    private final PeerTable table;
    private final PeerAddress source = new PeerAddress();
    private final OfferedKinds offered;
    private final boolean directed;
    private final int bits;
    private final int iovLimit;
    /** Where receives are posted that this one has. */
    private final RdmReceiveContext owner;
    private ReceiveReports reports;
    /** Room that a buffer has to have left that takes several messages; 0 where there are none. */
    private int leastMulti;
    /** Negated errno of all that is posted; 0 for none. */
    private int refusal;
    /** Nothing comes any more. */
    private boolean isOver;

    /**
     * One as the endpoints of a domain have it.
     *
     * @param size  most receives.
     * @param least room that a buffer for several messages has to have left.
     * @param table null without a vector; then nothing is directed.
     */
    RdmReceiveContext(
        final FabricInfo info, final int index, final int size, final int least, final FabricCompletionQueue queue,
        final Realm realm, final PeerTable table) {
        final Set<Capability> given = info.capabilities();
        this.queue = queue;
        this.local = new LocalMemory(realm, info);
        this.table = table;
        this.iovLimit = info.receiveAttributes().iovLimit();
        this.offered = new OfferedKinds(given);
        this.directed = table != null && given.contains(Capability.DIRECTED_RECV);
        this.bits = table == null ? 0 : table.rxCtxBits();
        this.matcher = new Matcher(index, size, iovLimit, given.contains(Capability.TAGGED),
            given.contains(Capability.MULTI_RECV));
        this.owner = this;
        this.leastMulti = given.contains(Capability.MULTI_RECV) ? least : 0;
    }

    private RdmReceiveContext(final RdmReceiveContext shared, final FabricCompletionQueue queue) {
        this.queue = queue;
        this.local = shared.local;
        this.table = shared.table;
        this.iovLimit = shared.iovLimit;
        this.offered = shared.offered;
        this.directed = shared.directed;
        this.bits = shared.bits;
        this.matcher = shared.matcher;
        this.leastMulti = shared.leastMulti;
        this.owner = shared;
        this.refusal = -FiErrno.FI_EOPNOTSUPP;
    }

    /** Of an endpoint whose receives are this one's. */
    RdmReceiveContext bound(final FabricCompletionQueue itsQueue) {
        return new RdmReceiveContext(this, itsQueue);
    }

    void reports(final ReceiveReports its) {
        reports = its;
    }

    RdmReceiveContext owner() {
        return owner;
    }

    /** It is not posted any more. */
    void fail(final Receive receive, final int errno, final int detail) {
        reports.failed(this, receive, errno, detail);
    }

    /** All that is posted here is over. */
    void cancelAll(final int detail) {
        if (owner == this) {
            reports.cancelReceives(this, detail);
        }
    }

    /** Buffers may take several messages. */
    void takesMany(final int least) {
        leastMulti = least;
    }

    boolean takesMany() {
        return leastMulti > 0;
    }

    int leastMulti() {
        return leastMulti;
    }

    /** 0, or why nothing can be posted. */
    int refusal() {
        return refusal;
    }

    FabricCompletionQueue queue() {
        return queue;
    }

    Matcher matcher() {
        return matcher;
    }

    Room room() {
        return matcher.room();
    }

    void close() {
        refusal = -FiErrno.FI_EBADFD;
    }

    /** Only what waits can be received from now on. */
    void end() {
        isOver = true;
    }

    @Override
    public int index() {
        return matcher.index();
    }

    @Override
    public CompletionQueue completionQueue() {
        return queue;
    }

    @Override
    public int receive(
        final long address, final int length, final MemoryRegion desc, final long from, final long context) {
        return receive(address, length, desc, null, from, context);
    }

    int receive(
        final long address, final int length, final MemoryRegion desc, final Object owner, final long from,
        final long context) {
        final int objection = check(OperationKind.RECEIVE, from);
        if (objection != 0) {
            return objection;
        }
        final int fault = local.find(address, length, desc, owner, MrAccess.RECV, WRITABLE);
        if (fault != 0) {
            return fault;
        }
        start(filled(claim(from, context), address, length, owner));
        return 0;
    }

    /** With what was found of its memory. */
    private Receive filled(final Receive receive, final long address, final int length, final Object owner) {
        receive.add(address, length, local.lkey(), local.cached(), local.descriptor());
        receive.lastIsAt(local.processAddress(), local.isKept(owner));
        if (owner != null) {
            receive.owner = owner;
        }
        return receive;
    }

    @Override
    public int receiveTagged(
        final long address, final int length, final MemoryRegion desc, final long from, final long tag,
        final long ignore, final long context) {
        final int objection = check(OperationKind.TAGGED_RECEIVE, from);
        if (objection != 0) {
            return objection;
        }
        final int fault = local.find(address, length, desc, null, MrAccess.RECV, WRITABLE);
        if (fault != 0) {
            return fault;
        }
        start(filled(claim(from, context), address, length, null).tag(tag, ignore));
        return 0;
    }

    @Override
    public int receiveTagged(final Message message, final long flags) {
        if (refusal != 0 || message == null) {
            return refusal != 0 ? refusal : -FiErrno.FI_EINVAL;
        }
        if (!isSearch(flags)) {
            return receive(message, flags, true);
        }
        final long what = flags & SEARCH_FLAGS;
        if ((flags & ~FLAGS & ~SEARCH_FLAGS) != 0 || what == SEARCH_FLAGS || what == OpFlags.DISCARD) {
            return -FiErrno.FI_EBADFLAGS;
        }
        final int objection = check(OperationKind.TAGGED_RECEIVE, message.peer());
        return objection != 0 ? objection : search(message, what);
    }

    private static boolean isSearch(final long flags) {
        return (flags & SEARCH_FLAGS) != 0;
    }

    private int search(final Message message, final long what) {
        final Receive receive = claim(message.peer(), message.context()).tag(message.tag(), message.ignore());
        if (what == OpFlags.CLAIM) {
            final int fault = add(receive, message);
            if (fault != 0) {
                return fault;
            }
        }
        final boolean peeks = (what & OpFlags.PEEK) != 0;
        final Slot first = peeks ? matcher.tags().look(receive) : matcher.tags().takeClaimed(receive.context);
        if (first == null) {
            fail(receive, FiErrno.FI_ENOMSG, Failures.NO_MESSAGE);
        } else if (first.isCut) {
            fail(receive, FiErrno.FI_ECONNRESET, Failures.RESET);
            first.channel.toldOfCut();
        } else if (peeks && (what & OpFlags.DISCARD) == 0) {
            if ((what & OpFlags.CLAIM) != 0) {
                matcher.tags().claim(first, receive.context);
            }
            first.channel.found(receive, first);
        } else {
            if (peeks) {
                matcher.remove(first);
            }
            receive.once = true;
            receive.discards = (what & OpFlags.DISCARD) != 0;
            first.channel.deliver(first, receive);
        }
        return 0;
    }

    @Override
    public int receiveMessage(final Message message, final long flags) {
        return receive(message, flags, false);
    }

    private int receive(final Message message, final long flags, final boolean tagged) {
        if (refusal != 0 || message == null || message.count() > iovLimit || message.total() < 0) {
            return refusal != 0 ? refusal : -FiErrno.FI_EINVAL;
        }
        final boolean many = (flags & OpFlags.MULTI_RECV) != 0 && !tagged;
        if ((flags & ~(many ? FLAGS | OpFlags.MULTI_RECV : FLAGS)) != 0) {
            return -FiErrno.FI_EBADFLAGS;
        }
        if (many && (leastMulti == 0 || message.count() != 1 || message.length(0) < leastMulti)) {
            return leastMulti == 0 ? -FiErrno.FI_EOPNOTSUPP : -FiErrno.FI_EINVAL;
        }
        final int objection =
            check(tagged ? OperationKind.TAGGED_RECEIVE : OperationKind.RECEIVE, message.peer());
        if (objection != 0) {
            return objection;
        }
        final Receive receive = claim(message.peer(), message.context());
        final int fault = add(receive, message);
        if (fault == 0 && many) {
            startMany(receive.takesMany(leastMulti));
        } else if (fault == 0) {
            start(tagged ? receive.tag(message.tag(), message.ignore()) : receive);
        }
        return fault;
    }

    /** Gives the receive back if that cannot be. */
    private int add(final Receive receive, final Message message) {
        if (message.count() > iovLimit || message.total() < 0) {
            return abandon(receive, -FiErrno.FI_EINVAL);
        }
        for (int i = 0; i < message.count(); i++) {
            final int fault =
                local.find(message.address(i), message.length(i), message.desc(i), null, MrAccess.RECV, WRITABLE);
            if (fault != 0) {
                return abandon(receive, fault);
            }
            receive.add(message.address(i), message.length(i), local.lkey(), local.cached(), local.descriptor());
            receive.lastIsAt(local.processAddress(), local.isKept(null));
        }
        return 0;
    }

    private int abandon(final Receive receive, final int fault) {
        matcher.giveBack(receive);
        room().giveBack();
        return fault;
    }

    /** 0, or why nothing can be received now. With a source, where that is, in the field. */
    private int check(final OperationKind kind, final long from) {
        if (refusal != 0 || !offered.has(kind)) {
            return refusal != 0 ? refusal : -FiErrno.FI_EOPNOTSUPP;
        }
        if (isFrom(from) && !table.find(FiAddr.peer(from, bits), source)) {
            return -FiErrno.FI_EINVAL;
        }
        progress();
        return room().left() == 0 ? -FiErrno.FI_EAGAIN : 0;
    }

    private boolean isFrom(final long from) {
        return directed && from != FiAddr.UNSPEC;
    }

    /** There is one for each place. */
    private Receive claim(final long from, final long context) {
        room().take();
        final Receive receive = matcher.claim(context);
        if (isFrom(from)) {
            receive.from(source, table.lifeOf(source.fiAddr()));
        }
        return receive;
    }

    /** Receives that wait for a peer that has moved wait for it where it is now; its messages may be there already. */
    void follow() {
        for (Receive receive = matcher.oldest(); receive != null; receive = receive.newer) {
            follow(receive);
        }
        matcher.goOn();
        if (matcher.tags() != null) {
            for (Receive receive = matcher.tags().oldest(); receive != null; receive = receive.newer) {
                if (receive.directed) {
                    matcher.tags().unlink(receive);
                    follow(receive);
                    matcher.tags().link(receive);
                }
            }
            matcher.tags().goOn();
        }
    }

    private void follow(final Receive receive) {
        final boolean isStill = receive.directed && receive.life == table.lifeOf(receive.from());
        if (isStill && table.find(receive.from(), source)) {
            receive.from(source, receive.life);
        }
    }

    private void start(final Receive receive) {
        final Slot first = matcher.isBehind(receive) ? null : matcher.messageFor(receive);
        if (first != null) {
            first.channel.deliver(first, receive);
        } else if (isOver) {
            fail(receive, FiErrno.FI_ECANCELED, Failures.LANE_LOST);
        } else {
            matcher.post(receive);
        }
    }

    private void startMany(final Receive receive) {
        matcher.post(receive);
        matcher.goOn();
        if (isOver && !receive.isSpent) {
            fail(matcher.take(receive), FiErrno.FI_ECANCELED, Failures.LANE_LOST);
        }
    }

    /** Goes on with messages that waited until others were read. */
    void progress() {
        if (matcher.canGoOn()) {
            matcher.goOn();
        }
    }

    /** Takes the oldest receive with this context back; 0 or a negated errno. */
    int cancel(final long context) {
        if (refusal != 0) {
            return refusal;
        }
        final Receive receive = matcher.find(context);
        if (receive == null) {
            return -FiErrno.FI_ENOENT;
        }
        if (receive.least > 0 && receive.parts > 0) {
            // Over with the last message that it is just getting.
            receive.isSpent = true;
            receive.isTakenBack = true;
        } else {
            fail(receive, FiErrno.FI_ECANCELED, Failures.TAKEN_BACK);
        }
        return 0;
    }

    @Override
    public String toString() {
        return matcher.toString();
    }
}
