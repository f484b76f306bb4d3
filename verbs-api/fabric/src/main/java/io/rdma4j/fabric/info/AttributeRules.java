/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.DomainAttributes;
import io.rdma4j.fabric.DomainModel;
import io.rdma4j.fabric.EndpointAttributes;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MessageOrder;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.Progress;
import io.rdma4j.fabric.ReceiveAttributes;
import io.rdma4j.fabric.ResourceManagement;
import io.rdma4j.fabric.Threading;
import io.rdma4j.fabric.TransmitAttributes;

import java.util.EnumSet;
import java.util.Set;

/** Sizes, limits and orders that follow from a device and from what was given of it. */
final class AttributeRules {
    private static final int PROTOCOL_VERSION = 1;
    private static final int MR_IOV_LIMIT = 256;
    private static final int DEFAULT_MR_COUNT = 4096;
    /**
     * Regions of the device that are the provider's: the key directory, two or more of each endpoint (what its queue
     * pairs copy, what it reads keys into, headers, slots), and one more while a region gets other rights. Enough for a
     * few endpoints: how many there will be is not known.
     */
    private static final int OWN_REGIONS = 16;
    /** Of a device with few regions the provider keeps one of so many. */
    private static final int OWN_SHARE = 8;
    /** Counters are memory of this process. */
    private static final int COUNTERS = 65_536;
    /** More is not given to one endpoint. */
    private static final int MOST_OPERATIONS = 65_536;
    private static final int IMMEDIATE_SIZE = 4;
    private static final long LONGEST_OF_PIECES = 1 << 30;
    /** Bytes that are copied into registered memory of a queue pair when they are posted; any device can do it. */
    private static final int INJECT_SIZE = 128;
    /** Messages, my accesses to the peer, the peer's to me: one QP each. */
    private static final int LANES_WITH_RMA = 3;
    private static final Set<Capability> STARTED = EnumSet.of(Capability.MSG, Capability.TAGGED, Capability.RMA,
        Capability.ATOMIC, Capability.SEND, Capability.READ, Capability.WRITE, Capability.HMEM, Capability.RMA_PMEM,
        Capability.NAMED_RX_CTX, Capability.TRIGGER, Capability.FENCE);
    private static final Set<Capability> TAKEN = EnumSet.of(Capability.MSG, Capability.TAGGED, Capability.RMA,
        Capability.ATOMIC, Capability.RECV, Capability.REMOTE_READ, Capability.REMOTE_WRITE, Capability.HMEM,
        Capability.RMA_PMEM, Capability.RMA_EVENT, Capability.SOURCE, Capability.DIRECTED_RECV, Capability.MULTI_RECV,
        Capability.TRIGGER);
    /** A reliable connection carries RMA out in order; only a write may overtake the data of a read before it. */
    private static final Set<MessageOrder> MEMORY_ORDER = EnumSet.of(
        MessageOrder.RAR, MessageOrder.RAW, MessageOrder.WAW,
        MessageOrder.RMA_RAR, MessageOrder.RMA_RAW, MessageOrder.RMA_WAW);
    private static final Set<MessageOrder> ATOMIC_ORDER = EnumSet.of(
        MessageOrder.ATOMIC_RAR, MessageOrder.ATOMIC_RAW, MessageOrder.ATOMIC_WAR, MessageOrder.ATOMIC_WAW);

    private final DeviceTraits device;
    private final EndpointKind kind;
    private final Set<Capability> given;

    AttributeRules(final DeviceTraits device, final EndpointKind kind, final Set<Capability> given) {
        this.device = device;
        this.kind = kind;
        this.given = given;
    }

    EndpointAttributes endpoint(final int authKeySize) {
        final long size = switch (kind) {
            case MSG -> device.limits().messageSize();
            case DGRAM -> device.limits().mtu();
            // They make pieces of what is longer.
            case RDM -> Math.max(device.limits().messageSize(), LONGEST_OF_PIECES);
        };
        final long ordered = CapabilityRules.hasMemory(given) ? size : 0;
        return new EndpointAttributes(
            kind.type(), kind.protocol(), PROTOCOL_VERSION, size, ordered, 0, ordered, authKeySize);
    }

    TransmitAttributes transmit(final Hints hints) throws Unfit {
        final Set<MessageOrder> kept = order();
        if (!kept.containsAll(hints.messageOrder())) {
            final Set<MessageOrder> missing = hints.messageOrder();
            missing.removeAll(kept);
            throw new Unfit("does not keep FI_ORDER_%s, which is relied on; for what was asked for it keeps %s",
                missing.iterator().next(), kept);
        }
        return new TransmitAttributes(of(STARTED), kept, kind.completionOrder(), INJECT_SIZE,
            sends(), iovLimit(1), rmaIovLimit());
    }

    /** An access to memory may be two work requests of a lane that has one more, which looks keys up. */
    private int sends() {
        final int most = device.limits().sends();
        final boolean isTwice = kind == EndpointKind.MSG && CapabilityRules.hasMemory(given);
        return Math.max(1, Math.min(MOST_OPERATIONS, isTwice ? (most - 1) / 2 : most));
    }

    /** An endpoint that is connected has one limit of buffers, which leaves one for sends to what is the provider's. */
    ReceiveAttributes receive() {
        return new ReceiveAttributes(of(TAKEN), order(), kind.completionOrder(),
            Math.min(MOST_OPERATIONS, device.limits().receives()), iovLimit(Math.max(1, kind.ownParts())),
            kind.contexts());
    }

    /** Some buffers of a work request are the provider's: of a send the header of a piece of a message. */
    private int iovLimit(final int own) {
        return Math.max(1, Math.min(DeviceLimits.IOV_LIMIT, device.limits().sges() - own));
    }

    DomainModel domainModel() {
        return new DomainModel(
            device.address(), Threading.COMPLETION, Progress.MANUAL, ResourceManagement.ENABLED, AvType.UNSPEC);
    }

    /** The number of regions is the application's to choose, as far as the device goes; it costs memory. */
    DomainAttributes domain(final Hints hints, final Set<MrMode> mode) throws Unfit {
        final DeviceLimits limits = device.limits();
        final DomainAttributes least = hints.atLeast();
        final int endpoints = limits.queuePairs() / kind.queuePairs(
            CapabilityRules.hasMemory(given) ? LANES_WITH_RMA : 1);
        // Those that make pieces of messages carry data in their heads.
        final boolean inPieces = kind == EndpointKind.RDM || CapabilityRules.needsPieces(given);
        final int immediate = inPieces || device.has(Trait.IMMEDIATE) ? IMMEDIATE_SIZE : 0;
        // A receive of several endpoints has no region of one of them.
        final int sharing = inPieces && !mode.contains(MrMode.ENDPOINT) ? endpoints : 0;
        check("mr_key_size", least.mrKeySize(), Discovery.RAW_KEY_SIZE);
        check("mr_iov_limit", least.mrIovLimit(), MR_IOV_LIMIT);
        check("mr_cnt", least.mrCount(), mostRegions());
        check("cq_cnt", least.cqCount(), limits.queues());
        check("ep_cnt", least.epCount(), endpoints);
        check("cntr_cnt", least.cntrCount(), COUNTERS);
        check("cq_data_size", least.cqDataSize(), immediate);
        check("max_err_data", least.maxErrData(), CompletionEntry.ERROR_DATA_LENGTH);
        check("max_ep_srx_ctx", least.maxEpSrxCtx(), sharing);
        final int regions = least.mrCount() == 0 ? Math.min(DEFAULT_MR_COUNT, mostRegions()) : least.mrCount();
        return new DomainAttributes(Discovery.RAW_KEY_SIZE, MR_IOV_LIMIT, regions, limits.queues(),
            endpoints, COUNTERS, immediate, CompletionEntry.ERROR_DATA_LENGTH, sharing);
    }

    /** What counts accesses to a region is a region of the device, too. */
    private int mostRegions() {
        final int regions = device.limits().regions();
        final int all = regions - Math.min(OWN_REGIONS, regions / OWN_SHARE);
        return given.contains(Capability.RMA_EVENT) ? Math.max(1, all / 2) : all;
    }

    private static void check(final String name, final int least, final int most) throws Unfit {
        if (least > most) {
            throw new Unfit("has %s %d, asked for were %d", name, most, least);
        }
    }

    private int rmaIovLimit() {
        return CapabilityRules.hasMemory(given) ? 1 : 0;
    }

    private Set<Capability> of(final Set<Capability> some) {
        final Set<Capability> rest = EnumSet.copyOf(given);
        rest.retainAll(some);
        return rest;
    }

    private Set<MessageOrder> order() {
        final Set<MessageOrder> order = EnumSet.noneOf(MessageOrder.class);
        if ((given.contains(Capability.MSG) || given.contains(Capability.TAGGED)) && kind != EndpointKind.DGRAM) {
            order.add(MessageOrder.SAS);
        }
        if (CapabilityRules.hasMemory(given)) {
            order.addAll(MEMORY_ORDER);
        }
        if (given.contains(Capability.ATOMIC)) {
            order.addAll(ATOMIC_ORDER);
        }
        return order;
    }
}
