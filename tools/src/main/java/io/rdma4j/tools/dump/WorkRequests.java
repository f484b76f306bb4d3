/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.tools.dump.walk.RingCopy;
import io.rdma4j.tools.dump.walk.SlotState;
import io.rdma4j.tools.dump.walk.Slots;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The work requests in a ring, in JSON. The device owns them while they are posted, so nothing in them is believed.
 */
final class WorkRequests {
    static final String SLOT = "slot";
    static final String STATE = "state";
    static final String WQE = "wqe";
    static final String SGES = "sges";
    static final String LKEY = "lkey";
    static final String MR = "mr";
    /** In place of {@link #WR_ID} where that is the driver's number of the request, and not the application's. */
    static final String NUMBER = "number";
    static final String WR_ID = "wr_id";
    static final String NUM_SGE = "num_sge";
    static final String SEND_FLAGS = "send_flags";
    static final String IMM_DATA = "imm_data";
    static final String INVALIDATE_RKEY = "invalidate_rkey";
    private static final String UNION = "wr";
    private static final int KNOWN_SEND_FLAGS = SendFlags.PVRDMA_SEND_FENCE | SendFlags.PVRDMA_SEND_SIGNALED
        | SendFlags.PVRDMA_SEND_SOLICITED | SendFlags.PVRDMA_SEND_INLINE | SendFlags.PVRDMA_SEND_IP_CSUM;

    private final RingCopy ring;
    private final Slots slots;
    private final Published published;
    private final long maxSge;
    private boolean regionsAdded;

    WorkRequests(final RingCopy ring, final Slots slots, final Published published, final long maxSge) {
        this.ring = ring;
        this.slots = slots;
        this.published = published;
        this.maxSge = maxSge;
    }

    /** Those of a send queue. */
    JsonArray sends(final boolean datagram) {
        final JsonArray all = new JsonArray();
        for (int slot = 0; slot < ring.count(); slot++) {
            if (slots.state(slot) != SlotState.FREE) {
                all.add(send(slot, datagram));
            }
        }
        return all;
    }

    /** Those of a receive queue; what is shared has the application's {@code wr_id}. */
    JsonArray receives(final boolean shared) {
        final JsonArray all = new JsonArray();
        for (int slot = 0; slot < ring.count(); slot++) {
            if (slots.state(slot) != SlotState.FREE) {
                all.add(receive(slot, shared));
            }
        }
        return all;
    }

    private JsonObject send(final int slot, final boolean datagram) {
        final UnsafeBuffer memory = ring.slots();
        final int at = ring.offset(slot);
        final Layout layout = SqWqe.layoutOf(SqWqe.opcode(memory, at), datagram);
        final JsonObject wqe = Fields.of(layout, memory, at);
        if (Nodes.text(wqe, UNION).matches("0*")) {
            wqe.remove(UNION);
        }
        nameImmediate(wqe, SqWqe.opcode(memory, at), SqWqe.immData(memory, at));
        if ((SqWqe.sendFlags(memory, at) & ~KNOWN_SEND_FLAGS) != 0) {
            wqe.add(SEND_FLAGS, Fields.invalid(wqe.get(SEND_FLAGS), "bits without a meaning"));
        }
        numbered(wqe);
        return finish(slot, wqe, SqWqe.wrId(memory, at), SqWqe.numSge(memory, at), at + SqWqe.SGE_OFFSET);
    }

    /** Says that the field {@code wr_id} has the driver's number. */
    static void numbered(final JsonObject struct) {
        struct.add(NUMBER, struct.remove(WR_ID));
    }

    /** One place has immediate data, whose bytes are in the order of the network, or a key, or nothing. */
    private static void nameImmediate(final JsonObject wqe, final int opcode, final int word) {
        switch (opcode) {
            case WrOpcode.PVRDMA_WR_SEND_WITH_IMM, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM ->
                wqe.add(IMM_DATA, Fields.unsigned(Integer.reverseBytes(word)));
            case WrOpcode.PVRDMA_WR_SEND_WITH_INV, WrOpcode.PVRDMA_WR_LOCAL_INV,
                WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV -> {
                wqe.add(INVALIDATE_RKEY, Fields.unsigned(word));
                wqe.remove(IMM_DATA);
            }
            default -> {
                // Whatever it is, nobody looks at it: left as it is in memory.
            }
        }
    }

    private JsonObject receive(final int slot, final boolean shared) {
        final UnsafeBuffer memory = ring.slots();
        final int at = ring.offset(slot);
        final JsonObject wqe = Fields.of(RqWqe.LAYOUT, memory, at);
        if (!shared) {
            numbered(wqe);
        }
        // A number that the slot's index goes with, where the wr_id is the application's own.
        final long number = shared ? slots.index(slot) : RqWqe.wrId(memory, at);
        return finish(slot, wqe, number, RqWqe.numSge(memory, at), at + RqWqe.SGE_OFFSET);
    }

    private JsonObject finish(
        final int slot, final JsonObject wqe, final long number, final int numSge, final int sgesAt) {
        final JsonObject json = new JsonObject();
        json.addProperty(SLOT, slot);
        json.addProperty(STATE, slots.state(slot).text());
        if (isSure(slot) && !isOf(slot, number)) {
            wqe.add(NUMBER, Fields.invalid(wqe.get(NUMBER),
                String.format("in this slot it is 0x%x modulo 0x%x", slots.index(slot), 2 * ring.count())));
        }
        if (Integer.toUnsignedLong(numSge) > maxSge) {
            wqe.add(NUM_SGE, Fields.invalid(wqe.get(NUM_SGE), "there is room for " + maxSge));
        }
        json.add(WQE, wqe);
        json.add(SGES, sges(slot, sgesAt, (int) Math.min(Integer.toUnsignedLong(numSge), maxSge)));
        return json;
    }

    /** Whether what is in a slot counts for somebody, and was there in one moment. */
    private boolean isSure(final int slot) {
        return slots.state(slot).isLive() && !ring.moved();
    }

    /**
     * Whether a request can be in a slot. What was executing when the driver's counters were read may be completed
     * since, and the next request may be on its way into the slot, one lap later.
     */
    private boolean isOf(final int slot, final long number) {
        final long index = number & 2L * ring.count() - 1;
        return index == slots.index(slot)
            || slots.state(slot) == SlotState.EXECUTING && index == (slots.index(slot) ^ ring.count());
    }

    private JsonArray sges(final int slot, final int first, final int count) {
        final JsonArray all = new JsonArray();
        for (int i = 0; i < count; i++) {
            final int at = first + i * Sge.LENGTH;
            final JsonObject sge = Fields.of(Sge.LAYOUT, ring.slots(), at);
            final int lkey = Sge.lkey(ring.slots(), at);
            // A device does not look at the key of nothing.
            if (isSure(slot) && Sge.length(ring.slots(), at) != 0 && !isLkey(lkey)) {
                sge.add(LKEY, Fields.invalid(sge.get(LKEY), "no region has this key"));
            }
            final Integer region = published.regionOf(lkey);
            if (region != null) {
                sge.addProperty(MR, region);
            }
            all.add(sge);
        }
        return all;
    }

    /** The region may be younger than what is published was. */
    private boolean isLkey(final int lkey) {
        if (!published.isLkey(lkey) && !regionsAdded) {
            published.addRegions();
            published.addQps();
            regionsAdded = true;
        }
        return published.isLkey(lkey);
    }
}
