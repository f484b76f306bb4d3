/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.tools.dump.walk.RingCopy;
import io.rdma4j.tools.dump.walk.RingSpec;
import io.rdma4j.tools.dump.walk.SlotState;
import io.rdma4j.tools.dump.walk.Slots;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;

/** The rings of work requests in JSON: indices, counters, and each slot that was ever used. */
final class QueueJson {
    static final String MAX_WR = "max_wr";
    static final String MAX_SGE = "max_sge";
    static final String STRIDE = "stride";
    static final String PROD_TAIL = "prod_tail";
    static final String CONS_HEAD = "cons_head";
    static final String COUNTERS = "counters";
    static final String SLOTS = "slots";
    static final String NOTES = "notes";
    static final String WQES = "wqes";

    private final LiveView view;
    private final Published published;

    QueueJson(final LiveView view, final Published published) {
        this.view = view;
        this.published = published;
    }

    /** Of a queue that its library keeps to itself: sizes and counters. */
    private static JsonObject unseen(final long maxWr, final long maxSge, final JsonObject counters) {
        final JsonObject json = new JsonObject();
        json.addProperty(MAX_WR, maxWr);
        json.addProperty(MAX_SGE, maxSge);
        json.add(COUNTERS, counters);
        return json;
    }

    JsonObject sq(final LiveObject qp) {
        if (qp.attribute(QpKind.RING_IOVA) == 0) {
            return unseen(qp.attribute(QpKind.SQ_MAX_WR), qp.attribute(QpKind.SQ_MAX_SGE),
                ObjectJson.counters(qp, QpKind.SQ_POSTED, QpKind.RQ_SKIPPED, "sq_"));
        }
        final RingCopy ring = RingCopy.of(view, RingSpec.sq(qp));
        final Slots slots = Slots.ofQueue(ring, SqWqe.HEADER_LENGTH, qp.counter(QpKind.SQ_POSTED),
            qp.counter(QpKind.SQ_RETIRED));
        final long maxSge = qp.attribute(QpKind.SQ_MAX_SGE);
        final JsonObject json = of(ring, slots, maxSge);
        json.add(COUNTERS, ObjectJson.counters(qp, QpKind.SQ_POSTED, QpKind.RQ_SKIPPED, "sq_"));
        json.add(WQES, new WorkRequests(ring, slots, published, maxSge).sends(ObjectJson.isDatagram(qp)));
        return json;
    }

    JsonObject rq(final LiveObject qp) {
        if (qp.attribute(QpKind.RING_IOVA) == 0) {
            return unseen(qp.attribute(QpKind.RQ_MAX_WR), qp.attribute(QpKind.RQ_MAX_SGE),
                ObjectJson.counters(qp, QpKind.SQ_POSTED, QpKind.RQ_SKIPPED, "rq_"));
        }
        final RingCopy ring = RingCopy.of(view, RingSpec.rq(qp));
        final Slots slots = Slots.ofQueue(ring, RqWqe.HEADER_LENGTH, qp.counter(QpKind.RQ_POSTED),
            qp.counter(QpKind.RQ_RETIRED));
        final long maxSge = qp.attribute(QpKind.RQ_MAX_SGE);
        final JsonObject json = of(ring, slots, maxSge);
        json.add(COUNTERS, ObjectJson.counters(qp, QpKind.SQ_POSTED, QpKind.RQ_SKIPPED, "rq_"));
        json.add(WQES, new WorkRequests(ring, slots, published, maxSge).receives(false));
        return json;
    }

    JsonObject srq(final LiveObject srq) {
        if (srq.attribute(SrqKind.RING_IOVA) == 0) {
            return unseen(srq.attribute(SrqKind.MAX_WR), srq.attribute(SrqKind.MAX_SGE),
                ObjectJson.counters(srq, 0, SrqKind.RQ_TAKEN, "rq_"));
        }
        final RingCopy ring = RingCopy.of(view, RingSpec.srq(srq));
        final Slots slots = Slots.ofShared(ring);
        final long maxSge = srq.attribute(SrqKind.MAX_SGE);
        final JsonObject json = of(ring, slots, maxSge);
        json.add(COUNTERS, ObjectJson.counters(srq, 0, SrqKind.RQ_TAKEN, "rq_"));
        json.add(WQES, new WorkRequests(ring, slots, published, maxSge).receives(true));
        return json;
    }

    private static JsonObject of(final RingCopy ring, final Slots slots, final long maxSge) {
        final JsonObject json = new JsonObject();
        json.addProperty(MAX_WR, ring.spec().count());
        json.addProperty(MAX_SGE, maxSge);
        json.addProperty(STRIDE, ring.spec().stride());
        indices(json, ring, slots);
        return json;
    }

    /** What is common to rings of all kinds. */
    static void indices(final JsonObject json, final RingCopy ring, final Slots slots) {
        if (ring.unreadable() != null) {
            json.addProperty(Fields.INVALID, ring.unreadable());
            return;
        }
        json.add(PROD_TAIL, Fields.unsigned(ring.prodTail()));
        json.add(CONS_HEAD, Fields.unsigned(ring.consHead()));
        if (ring.corrupt() != null) {
            json.addProperty(Fields.INVALID, ring.corrupt());
        }
        final JsonObject counts = new JsonObject();
        for (final SlotState state : SlotState.values()) {
            if (slots.count(state) > 0) {
                counts.addProperty(state.text(), slots.count(state));
            }
        }
        json.add(SLOTS, counts);
        final JsonArray notes = new JsonArray();
        if (ring.moved()) {
            notes.add("in motion: the indices changed while the slots were read");
        }
        if (slots.doubt() != null) {
            notes.add(slots.doubt());
        }
        if (!notes.isEmpty()) {
            json.add(NOTES, notes);
        }
    }
}
