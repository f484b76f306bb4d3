/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.util.List;

/**
 * An operation of the table of supported devices, and the cases that show it. A case belongs to the row that names the
 * longest part of its name's beginning.
 */
record SupportRow(String operation, List<String> cases) {
    private static final List<SupportRow> ROWS = List.of(
        row("Device, port, P_Key and GID tables", "device.", "port.", "pkey.", "gid."),
        row("Port state that tells whether traffic flows", "port.isActive"),
        row("Protection domains, address handles", "pd.", "ah."),
        row("As many objects as the device has", "limit."),
        row("What a device lacks is refused, with the reason", "window.isRefusedWith", "fast.isRefusedWith",
            "resize.isRefusedWith", "post.refusesWhatTheDeviceCannotDo", "mr.refusesMemoryOutOfReach",
            "region.addressKeepsThePlace", "fabric.rmaIsRefused", "paging.onDemandOnlyWhere",
            "paging.refreshOnlyWhere"),
        row("Completion queues", "cq."),
        row("Completion queues that change their size", "resize."),
        row("Completion events, channels, ways of waiting", "notify.", "channel.", "wait."),
        row("Solicited events", "notify.solicitedOnly", "channel.solicitedOnly"),
        row("Asynchronous events, acknowledged", "event."),
        row("Queue pairs: sizes, states, attributes", "qp."),
        row("Queue pairs used again after RESET", "qp.canBeUsedAgain", "state.resetTakesBack"),
        row("Posting: limits and refusals", "post."),
        row("Prepared work requests", "template."),
        row("Small payloads copied when posted", "inline."),
        row("Memory of the device, regions by address", "memory.", "mr."),
        row("Memory of the process: any buffer", "mr.byteBuffer", "mr.agronaBuffer", "mr.rawAddress",
            "mr.keepsItsBuffer"),
        row("Regions of pages in any order", "region.", "region.pages", "region.samePage", "region.refusesPages"),
        row("Regions by an address of choice", "region.address", "region.example"),
        row("Zero-based regions", "region.zeroBased"),
        row("Regions of more than 1 GiB", "region.moreThanAGibibyte"),
        row("Shared regions", "region.shared", "region.refusesToShare"),
        row("Regions registered again", "rereg."),
        row("Regions on demand: pages that come and go", "paging."),
        row("Regions refreshed in place", "paging.refresh", "paging.whatCannotBeRefreshed"),
        row("Memory windows of type 1", "window.", "window.type1"),
        row("Memory windows of type 2", "window.type2"),
        row("Fast registration", "fast."),
        row("Invalidation of keys", "inv."),
        row("Protection of memory against peers", "protect."),
        row("SEND on reliable connections", "rc."),
        row("SEND with immediate data", "rc.immediateData", "ud.immediateData"),
        row("Work requests without a completion", "rc.unsignaled", "write.unsignaled"),
        row("Exact status of local protection errors", "rc.unknownLocalKey", "rc.keyOfAClosedRegion",
            "rc.regionOfAnotherDomain", "rc.oneByteBehind", "rc.receiveIntoARegion", "rc.messageLongerThanTheReceiveIs",
            "rereg.postedReceive", "rereg.oldLocalKey", "rereg.otherDomain"),
        row("RDMA WRITE", "write."),
        row("RDMA WRITE with immediate data", "write.immediateData"),
        row("RDMA READ", "read."),
        row("Compare-and-swap, fetch-and-add", "atomic."),
        row("Masked atomics", "masked."),
        row("Retries that run out, receivers not ready", "retry."),
        row("Draining, flushing, the error states", "state."),
        row("Datagrams", "ud."),
        row("Shared receive queues", "srq."),
        row("The limit event of shared receive queues", "srq.tellsWhenItFallsBelow"),
        row("Many connections, threads, random traffic", "load."),
        row("Fabric: discovery, mode bits, domains", "fabric.info", "fabric.mode", "fabric.capabilities",
            "fabric.domains"),
        row("Fabric: regions, keys, binding, refresh", "fabric.region", "fabric.key", "fabric.rawKey", "fabric.bind",
            "fabric.refresh"),
        row("Fabric: messages", "fabric.message", "fabric.endpoints"),
        row("Fabric: tagged messages", "fabric.tagged", "rdm.tagged"),
        row("Fabric: word of delivery, one buffer for many messages", "fabric.taggedDelivery", "fabric.oneBuffer",
            "rdm.delivery", "rdm.oneBuffer"),
        row("Fabric: shared receive contexts", "fabric.shared", "rdm.shared"),
        row("Fabric: registration cache", "fabric.cache"),
        row("Fabric: asynchronous registration", "fabric.async"),
        row("Fabric: RMA by every kind of key", "fabric.rma"),
        row("Fabric: atomics, counters", "fabric.atomics", "fabric.counters"),
        row("Fabric: regions that are closed are out of reach", "fabric.close", "fabric.regionsOfOtherKeys"),
        row("Fabric: address vectors", "av."),
        row("Fabric: event queues, counters", "eq.", "cntr."),
        row("Fabric: completion queues", "cq.entries", "cq.failures", "cq.waitEnds", "cq.waitObjects", "cq.descriptor",
            "cq.limitOfZero", "cq.oneForEachDirection", "cq.fabricQueues"),
        row("Fabric: connections that are asked for", "cm."),
        row("Fabric: datagrams", "datagram."),
        row("Fabric: reliable datagrams", "rdm."),
        row("Fabric: RMA through reliable datagrams", "rdm.rma", "rdm.atomics"),
        row("Fabric: order of operations that are under way at once", "order."));

    private static SupportRow row(final String operation, final String... cases) {
        return new SupportRow(operation, List.of(cases));
    }

    static List<SupportRow> all() {
        return ROWS;
    }

    /** The row of a case. */
    static SupportRow of(final String caseName) {
        SupportRow best = null;
        int longest = 0;
        for (final SupportRow row : ROWS) {
            for (final String start : row.cases) {
                if (caseName.startsWith(start) && start.length() > longest) {
                    best = row;
                    longest = start.length();
                }
            }
        }
        if (best == null) {
            throw new IllegalStateException("no row of the table of supported devices is about case " + caseName);
        }
        return best;
    }
}
