/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.region.LocalMemory;

import org.agrona.concurrent.UnsafeBuffer;

/** An RMA operation or an atomic as the application asks for it: filled anew each time, or a copy that waits. */
public final class Rma {
    private static final long ATOMIC_FLAGS = OpFlags.MORE | OpFlags.COMPLETION | OpFlags.INJECT
        | OpFlags.INJECT_COMPLETE | OpFlags.TRANSMIT_COMPLETE | OpFlags.DELIVERY_COMPLETE | OpFlags.FENCE;

    RmaOperation operation;
    long address;
    long length;
    MemoryRegion desc;
    long remoteAddress;
    long key;
    int data;
    long operand;
    long swap;
    /** Names the buffers, and where the peer's memory is; null for an operation on one buffer. */
    Message message;
    long flags;
    /** What is injected, of a copy that waits; else null. */
    UnsafeBuffer copied;
    /** Of an atomic by its general form; made with the first one. */
    Modification modification;
    /** It takes several requests of the device. */
    boolean isLoop;
    /** What an atomic fetches is not for the application. */
    boolean landsHere;

    /** Nothing yet. */
    public Rma() {
        // Each call sets it.
    }

    /**
     * An operation on one buffer.
     *
     * @param what         it is.
     * @param localAddress first byte of this side's memory.
     * @param bytes        of it.
     * @param region       covers it, or null.
     * @return this, to be told where the peer's memory is.
     */
    public Rma set(
        final RmaOperation what, final long localAddress, final long bytes, final MemoryRegion region) {
        if (operation != what) {
            operation = what;
        }
        if (desc != region) {
            desc = region;
        }
        if (message != null) {
            message = null;
        }
        flags = 0;
        isLoop = false;
        landsHere = false;
        address = localAddress;
        length = bytes;
        return this;
    }

    /**
     * Where the peer's memory is.
     *
     * @param farAddress its first byte, or offset.
     * @param farKey     the peer's key.
     * @return this.
     */
    public Rma remote(final long farAddress, final long farKey) {
        remoteAddress = farAddress;
        key = farKey;
        return this;
    }

    /**
     * What the peer is told with {@link RmaOperation#WRITE_WITH_DATA}.
     *
     * @param value 32 bits.
     * @return this.
     */
    public Rma data(final int value) {
        data = value;
        return this;
    }

    /**
     * Of an atomic.
     *
     * @param first  what is added, or compared.
     * @param second what is put in its place; 0 for an addition.
     * @return this.
     */
    public Rma operands(final long first, final long second) {
        operand = first;
        swap = second;
        return this;
    }

    /**
     * A read or a write of several buffers.
     *
     * @param isRead    whether it is a read.
     * @param buffers   the buffers, and where the peer's memory is; not null.
     * @param itsFlags  of {@link OpFlags}.
     * @return this.
     */
    public Rma set(final boolean isRead, final Message buffers, final long itsFlags) {
        set(isRead ? RmaOperation.READ
            : (itsFlags & OpFlags.REMOTE_CQ_DATA) != 0 ? RmaOperation.WRITE_WITH_DATA : RmaOperation.WRITE,
            0, buffers.total(), null);
        message = buffers;
        flags = itsFlags;
        return remote(buffers.remoteAddress(), buffers.key()).data(buffers.data());
    }

    /**
     * An atomic by its general form. Its operands are read.
     *
     * @param request  what to do; null is FI_EINVAL.
     * @param itsFlags of {@link OpFlags}.
     * @param local    looks at descriptors of the operands.
     * @return 0 or a negated errno.
     */
    public int set(final AtomicRequest request, final long itsFlags, final LocalMemory local) {
        if (request == null) {
            return -FiErrno.FI_EINVAL;
        }
        if ((itsFlags & ~ATOMIC_FLAGS) != 0) {
            return -FiErrno.FI_EBADFLAGS;
        }
        if (modification == null) {
            modification = new Modification();
        }
        final int objection = modification.set(request, local);
        if (objection != 0) {
            return objection;
        }
        final RmaOperation one = modification.nativeOperation();
        final long result = modification.result();
        if (one != null && (result & Long.BYTES - 1) == 0) {
            set(one, result, Long.BYTES, modification.resultDesc());
            operands(modification.firstOperand(), modification.secondOperand());
            landsHere = result == 0;
        } else {
            set(RmaOperation.ADD, result, modification.bytes(), modification.resultDesc());
            isLoop = true;
        }
        flags = itsFlags;
        remote(request.remoteAddress(), request.key());
        return 0;
    }

    /** A replacement of one number by the steps of those that the device has no request for. */
    Rma inSteps() {
        if (modification == null) {
            modification = new Modification();
        }
        modification.set(this);
        operation = RmaOperation.ADD;
        isLoop = true;
        return this;
    }

    /**
     * What the completion says that it was.
     *
     * @return not null.
     */
    public OperationKind kind() {
        return landsHere || isLoop && !modification.fetches() ? OperationKind.ATOMIC_UPDATE : operation.kind;
    }

    /**
     * Bytes.
     *
     * @return of all buffers.
     */
    public long length() {
        return length;
    }

    /**
     * Whether its flags ask for all before it to be over.
     *
     * @return false also where it has no flags.
     */
    public boolean asksForFence() {
        return (flags & OpFlags.FENCE) != 0;
    }

    /**
     * Whether its flags ask for a completion.
     *
     * @return false also where it has no flags.
     */
    public boolean asksForCompletion() {
        return (flags & OpFlags.COMPLETION) != 0;
    }

    /**
     * Whether the application has its buffers again when the call returns.
     *
     * @return false for atomics, whose operands were read already, and for reads, which have no such flag.
     */
    public boolean injects() {
        return message != null && operation != RmaOperation.READ && (flags & OpFlags.INJECT) != 0;
    }

    /** 0, or what is wrong with it, whoever it is for; after that its memory is looked up. */
    int check(final MessageRules rules) {
        if (message != null) {
            return rules.check(message, flags & ~(OpFlags.DELIVERY_COMPLETE | OpFlags.FENCE),
                operation == RmaOperation.READ ? MessageRules.READ_FLAGS : MessageRules.SEND_FLAGS);
        }
        return !isLoop && operation.kind == OperationKind.ATOMIC
            && ((address | remoteAddress) & Long.BYTES - 1) != 0 ? -FiErrno.FI_EINVAL : 0;
    }

    /** Looks its one buffer up; 0 or a negated errno. */
    int find(final LocalMemory local, final Object owner) {
        return local.find(address, landsHere ? 0 : length, desc, owner, operation.local, operation.localAccess);
    }

    /** Looks up where an atomic of several steps puts what it fetches; 0 or a negated errno. */
    int findResult(final LocalMemory local) {
        return modification.fetches() ? local.check(address, length, desc, MrAccess.READ) : 0;
    }

    /** Looks the buffers of its message up; 0 or a negated errno. */
    int findBuffers(final MessageRules rules) {
        return injects() ? rules.findCopied(message, operation.local)
            : rules.find(message, operation.local, operation.localAccess);
    }

    /**
     * Has a copy ready to wait for its connection: what can be objected to before there is one is, and it takes the
     * bytes along that it {@linkplain #injects}.
     *
     * @param rules look the application's memory up, and hold none afterwards.
     * @return 0 or a negated errno.
     */
    public int await(final MessageRules rules) {
        final int objection = check(rules);
        if (objection != 0) {
            return objection;
        }
        if (message != null) {
            return awaitMessage(rules);
        }
        final LocalMemory local = rules.local();
        if (isLoop) {
            return findResult(local);
        }
        final int fault = find(local, null);
        local.letGo();
        return fault;
    }

    private int awaitMessage(final MessageRules rules) {
        int fault = findBuffers(rules);
        if (fault == 0 && injects()) {
            copied = new UnsafeBuffer(new byte[(int) length]);
            fault = Math.min(rules.buffers().collect(message, copied, 0), 0);
        }
        rules.buffers().letGo();
        return fault;
    }

    boolean isCopied() {
        return copied != null;
    }

    /**
     * One that stays as it is while this one is filled anew, and the application's message, too.
     *
     * @return a copy.
     */
    public Rma copy() {
        final Rma other = new Rma().set(operation, address, length, desc).remote(remoteAddress, key).data(data)
            .operands(operand, swap);
        other.flags = flags;
        other.landsHere = landsHere;
        if (isLoop) {
            other.isLoop = true;
            other.modification = new Modification();
            modification.copyTo(other.modification);
        }
        if (message != null) {
            other.message = message.copy();
        }
        return other;
    }
}
