/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.AtomicAttributes;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OfferedKinds;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.event.EndpointCounters;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.LocalBuffers;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.Feature;
import java.util.Set;

/**
 * RMA and atomics of a connection: its own go out over one lane, the peer's come in over the other. Both are missing
 * where the domain has no RMA. For the thread that uses the endpoint.
 */
public final class RmaLanes {
    private final RcLink link;
    private final MessageRules rules;
    private final OpRing ring;
    /** Null where the domain has no RMA. */
    private final OutLane out;
    /** Null where the domain has no RMA. */
    private final InLane in;
    private final OfferedKinds offered;
    /** It is connected with a peer that has none. */
    private volatile boolean isMissingThere;

    RmaLanes(final RcLink link, final EndpointCounters counters, final long arrivals) {
        this.link = link;
        this.rules = link.rules();
        this.offered = new OfferedKinds(link.host().info().capabilities());
        this.ring = new OpRing(link.endpoint(), link.transmit(), link.sizes().transmit(), link.sizes().buffers(),
            counters);
        this.out = link.sizes().hasRma() ? new OutLane(link, ring, rules.isSelective()) : null;
        InLane inwards = null;
        try {
            inwards = out == null ? null : new InLane(link, counters, arrivals);
        } finally {
            if (out != null && inwards == null) {
                out.close();
            }
        }
        this.in = inwards;
    }

    /**
     * Whether connections of a domain have them.
     *
     * @param host the domain.
     * @return false where the device or what was negotiated leaves RMA out.
     */
    public static boolean isIn(final EndpointHost host) {
        final Set<Capability> all = host.info().capabilities();
        return (all.contains(Capability.RMA) || all.contains(Capability.ATOMIC))
            && host.context().supports(Feature.RDMA_WRITE) && host.context().supports(Feature.RDMA_READ);
    }

    /**
     * How connections of a domain do an atomic.
     *
     * @param host the domain.
     * @param op   what is to be done.
     * @param type with which numbers.
     * @return with a count of 0 if not.
     * @throws io.rdma4j.fabric.FabricException FI_EINVAL for null.
     */
    public static AtomicAttributes atomicAttributes(
        final EndpointHost host, final AtomicOp op, final AtomicType type) {
        if (op == null || type == null) {
            throw Failures.invalid("look at atomics", "%s is null", op == null ? "op" : "type");
        }
        final OfferedKinds offered = new OfferedKinds(host.info().capabilities());
        final boolean has = op.takes(type) && isIn(host)
            && (offered.has(OperationKind.ATOMIC) || offered.has(OperationKind.ATOMIC_UPDATE));
        return new AtomicAttributes(has ? Modification.MOST_BYTES / type.size() : 0, type.size(),
            has && Modification.isNative(op, type));
    }

    InLane in() {
        return in;
    }

    OutLane out() {
        return out;
    }

    /** Whether the lane inwards is mended although the application calls nothing. */
    boolean listen() {
        return in != null && in.listen(link.host());
    }

    void connect(final PeerName peer, final int port) {
        if (in != null && peer.has(PeerName.RMA)) {
            in.connect(peer);
            out.connect(peer, port);
        } else {
            isMissingThere = true;
        }
    }

    /** 0, or why no such operation can be started now. */
    private int check(final Rma rma) {
        return out == null || !offered.has(rma.kind()) || isMissingThere ? -FiErrno.FI_EOPNOTSUPP : out.check();
    }

    /**
     * Starts an operation.
     *
     * @param rma     what to do; not kept.
     * @param owner   what keeps the memory, if the application named it by that; or null.
     * @param context comes back with the completion.
     * @return 0 or a negated errno.
     */
    public int start(final Rma rma, final Object owner, final long context) {
        int refusal = check(rma);
        refusal = refusal == 0 ? rma.check(rules) : refusal;
        if (refusal != 0) {
            return refusal;
        }
        if (rma.message != null) {
            return startMessage(rma, context);
        }
        return rma.isLoop ? out.startLoop(rma, context, rules.quiet(rma.flags)) : out.start(rma, owner, context);
    }

    private int startMessage(final Rma rma, final long context) {
        final RmaOperation operation = rma.operation;
        final boolean inject = rma.injects();
        final int objection = rma.isCopied() ? 0 : rma.findBuffers(rules);
        if (objection != 0) {
            return objection;
        }
        final LocalBuffers buffers = rules.buffers();
        if (inject) {
            final int fault = copy(rma, buffers);
            if (fault != 0) {
                return fault;
            }
        }
        final boolean delivers = (rma.flags & OpFlags.DELIVERY_COMPLETE) != 0 && operation.kind == OperationKind.WRITE
            && rma.length > 0;
        return out.start(rma, buffers, context,
            delivers ? rules.quiet(rma.flags) | OpRing.DELIVERS : rules.quiet(rma.flags), inject);
    }

    /** Puts what is injected where it is sent from, and needs its buffers no more; 0 or a negated errno. */
    private int copy(final Rma rma, final LocalBuffers buffers) {
        final int length = rma.isCopied() ? (int) rma.length : rules.collect(rma.message);
        buffers.letGo();
        if (length >= 0) {
            out.copy(rma.isCopied() ? rma.copied : rules.copy(), length);
        }
        return Math.min(length, 0);
    }

    /**
     * The device completed something that is not of messages.
     *
     * @param what       of {@link io.rdma4j.fabric.completion.WorkId}.
     * @param slot       of the operation.
     * @param completion valid during this call only.
     */
    public void completed(final int what, final int slot, final Completion completion) {
        if (out != null) {
            out.completed(what, slot, completion);
        }
    }

    /**
     * Goes on with what is to be done besides.
     *
     * @return whether there will be more.
     */
    public boolean progress() {
        return out != null && out.progress();
    }

    /**
     * Whether the next read is to go on, without an event.
     *
     * @return true while a lane is being mended.
     */
    public boolean isMending() {
        return out != null && out.isMending();
    }

    /**
     * Whether no operation is under way to the peer's memory.
     *
     * @return true if all that were started are over.
     */
    public boolean isStill() {
        return !ring.hasUnderWay();
    }

    /** How often lanes came up again. */
    long mended() {
        return out == null ? 0 : out.mended() + in.mended();
    }

    /** The connection is over: what is under way is flushed. From any thread. */
    void end() {
        if (in != null) {
            in.end();
            out.end();
        }
    }

    void close() {
        if (out != null) {
            try {
                out.close();
            } finally {
                in.close();
            }
        }
    }

    void cancelAll() {
        ring.cancelAll(FiErrno.FI_ECANCELED, Failures.CLOSED);
    }

    @Override
    public String toString() {
        return out == null ? "" : "; " + out + "; " + in;
    }
}
