/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.tools.dump.walk.RingCopy;
import io.rdma4j.tools.dump.walk.SlotState;
import io.rdma4j.tools.dump.walk.Slots;
import io.rdma4j.verbs.live.QpKind;

import java.util.ArrayList;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;

/** The completions in a ring, in JSON. The device writes them, and may write anything. */
final class Completions {
    static final String CQES = "cqes";
    private static final String CQE = "cqe";
    private static final String OPCODE = "opcode";
    private static final String QP = "qp";
    private static final String QUEUE = "queue";
    private static final String[] COLUMNS = {WorkRequests.SLOT, WorkRequests.STATE, QP, QUEUE, WorkRequests.NUMBER,
        WorkRequests.WR_ID, OPCODE, "status", "byte_len", WorkRequests.IMM_DATA, "src_qp", "wc_flags", "vendor_err"};

    private final RingCopy ring;
    private final Slots slots;
    private final Published published;
    private boolean qpsAdded;

    Completions(final RingCopy ring, final Slots slots, final Published published) {
        this.ring = ring;
        this.slots = slots;
        this.published = published;
    }

    JsonArray toJson() {
        final JsonArray all = new JsonArray();
        for (int slot = 0; slot < ring.count(); slot++) {
            if (slots.state(slot) != SlotState.FREE) {
                all.add(toJson(slot));
            }
        }
        return all;
    }

    private JsonObject toJson(final int slot) {
        final UnsafeBuffer memory = ring.slots();
        final int at = ring.offset(slot);
        final JsonObject json = new JsonObject();
        json.addProperty(WorkRequests.SLOT, slot);
        json.addProperty(WorkRequests.STATE, slots.state(slot).text());
        final JsonObject cqe = Fields.of(Cqe.LAYOUT, memory, at);
        final LiveObject qp = qp(slot);
        json.add(QP, Fields.unsigned((int) Cqe.qp(memory, at) & Uar.HANDLE_MASK));
        if (qp == null && slots.state(slot).isLive()) {
            json.add(QP, Fields.invalid(json.get(QP), "no queue pair has this handle"));
        }
        final boolean takesShared = qp != null && qp.attribute(QpKind.SRQ) >= 0;
        boolean isNumbered = qp != null && !takesShared;
        if (Cqe.status(memory, at) == WcStatus.PVRDMA_WC_SUCCESS) {
            final boolean isSend = Cqe.opcode(memory, at) < WcOpcode.PVRDMA_WC_RECV;
            json.addProperty(QUEUE, isSend ? "sq" : takesShared ? "srq" : "rq");
            isNumbered |= isSend;
        } else {
            // Means something only on success (InfiniBand specification, "Returned work completion").
            cqe.add(OPCODE, Fields.unsigned(Cqe.opcode(memory, at)));
        }
        if (isNumbered) {
            WorkRequests.numbered(cqe);
        }
        if ((Cqe.wcFlags(memory, at) & WcFlags.PVRDMA_WC_WITH_IMM) != 0) {
            // Its bytes are in the order of the network.
            cqe.add(WorkRequests.IMM_DATA, Fields.unsigned(Integer.reverseBytes(Cqe.immData(memory, at))));
        }
        json.add(CQE, cqe);
        return json;
    }

    /** The queue pair may be younger than what is published was, and have completed before the ring was copied. */
    private LiveObject qp(final int slot) {
        final long inCqe = Cqe.qp(ring.slots(), ring.offset(slot));
        if (published.qp(inCqe) == null && slots.state(slot).isLive() && !qpsAdded) {
            published.addQps();
            qpsAdded = true;
        }
        return published.qp(inCqe);
    }

    static void print(final JsonObject ring, final DumpPrinter out) {
        final List<JsonObject> rows = new ArrayList<>();
        for (final JsonObject slot : Nodes.objects(ring, CQES)) {
            final JsonObject row = new JsonObject();
            Nodes.object(slot, CQE).entrySet()
                .forEach(field -> row.addProperty(field.getKey(), DumpPrinter.cell(field.getValue())));
            slot.entrySet().stream().filter(member -> !CQE.equals(member.getKey()))
                .forEach(member -> row.addProperty(member.getKey(), DumpPrinter.cell(member.getValue())));
            final String why = Marks.in(slot);
            if (!why.isEmpty()) {
                row.addProperty(Fields.INVALID, why);
            }
            rows.add(row);
        }
        out.table(rows, COLUMNS);
    }
}
