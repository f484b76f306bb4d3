/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.link.Message;
import io.rdma4j.device.link.Operation;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.roce.Psn;

/**
 * What a {@link WireSender} knows of the requests that it has begun, by their number: it counts on and on, and as many
 * as the ring has are kept. Used under the send queue's lock.
 */
final class WireRequests {
    /** It failed before anything was sent, or needs no packets; its status is known. */
    private static final byte FAILED = 0;
    private static final byte SEND = 1;
    private static final byte WRITE = 2;
    private static final byte READ = 3;
    private static final byte ATOMIC = 4;

    private final int mask;
    private final byte[] kinds;
    private final int[] statuses;
    private final int[] vendorErrors;
    private final int[] firstPsns;
    private final int[] packets;
    private final int[] lengths;

    /** For a ring of so many requests, a power of two. */
    WireRequests(int count) {
        mask = count - 1;
        kinds = new byte[count];
        statuses = new int[count];
        vendorErrors = new int[count];
        firstPsns = new int[count];
        packets = new int[count];
        lengths = new int[count];
    }

    /** A request that is over with this status, or is said to be under way next. */
    void enter(int request, int psn, int length, int status, int vendorError) {
        final int slot = request & mask;
        firstPsns[slot] = psn;
        packets[slot] = 0;
        lengths[slot] = length;
        fail(request, status, vendorError);
    }

    /** What was entered is sent as packets; returns how many. */
    int underway(int request, Message message, int mtuShift) {
        final int slot = request & mask;
        kinds[slot] = kind(message.operation);
        // A READ's numbers are those of the packets that answer it.
        packets[slot] = kinds[slot] == ATOMIC ? 1 : QpAttributes.packets(message.length, mtuShift);
        return packets[slot];
    }

    void fail(int request, int status, int vendorError) {
        final int slot = request & mask;
        kinds[slot] = FAILED;
        statuses[slot] = status;
        vendorErrors[slot] = vendorError;
    }

    private static byte kind(Operation operation) {
        return switch (operation) {
            case SEND -> SEND;
            case WRITE -> WRITE;
            case READ -> READ;
            default -> ATOMIC;
        };
    }

    boolean isFailed(int request) {
        return kinds[request & mask] == FAILED;
    }

    /** Whether its packets carry bytes of the sender's, and are acknowledged. */
    boolean carriesData(int request) {
        return kinds[request & mask] == SEND || kinds[request & mask] == WRITE;
    }

    /** Whether the peer answers it with more than an acknowledgement. */
    boolean isAnswered(int request) {
        return kinds[request & mask] >= READ;
    }

    boolean isAtomic(int request) {
        return kinds[request & mask] == ATOMIC;
    }

    /** Whether it is what it was when it was entered. */
    boolean isSame(int request, Operation operation, int length) {
        return lengths[request & mask] == length && kinds[request & mask] == kind(operation);
    }

    int status(int request) {
        return statuses[request & mask];
    }

    int vendorError(int request) {
        return vendorErrors[request & mask];
    }

    int packets(int request) {
        return packets[request & mask];
    }

    int length(int request) {
        return lengths[request & mask];
    }

    /** The number of one of its packets, or the one behind its last. */
    int psn(int request, int packet) {
        return Psn.add(firstPsns[request & mask], packet);
    }

    int end(int request) {
        return psn(request, packets(request));
    }

    /** Which of its packets has this number. */
    int packet(int request, int psn) {
        return Psn.ahead(psn, firstPsns[request & mask]);
    }

    /** Requests that change keys happen when all before them are over: some of those may need the keys as they are. */
    static boolean isLocal(int opcode) {
        return opcode == WrOpcode.PVRDMA_WR_LOCAL_INV || opcode == WrOpcode.PVRDMA_WR_FAST_REG_MR
            || opcode == WrOpcode.PVRDMA_WR_BIND_MW;
    }

    /** Whether the peer answers such a request with more than an acknowledgement. */
    static boolean asksForAnswer(int opcode) {
        return opcode == WrOpcode.PVRDMA_WR_RDMA_READ || opcode == WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV
            || opcode == WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP || opcode == WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD
            || opcode == WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP
            || opcode == WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD;
    }
}
