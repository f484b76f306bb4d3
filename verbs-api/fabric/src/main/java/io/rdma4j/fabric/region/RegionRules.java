/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

/** What a domain's info and its device mean for regions. Immutable. */
final class RegionRules {
    /** Authorization keys, and mode bits of their own, exist since 1.5. */
    private static final int VERSION_1_5 = 1 << 16 | 5;
    /** Why {@link #counts} is not so: the capability is given only where the device can have it. */
    static final String WHY_NO_COUNTS = "the domain was opened without Capability.RMA_EVENT";

    final FabricInfo info;
    final boolean provKey;
    final boolean virtAddr;
    final boolean allocated;
    final boolean raw;
    final boolean rmaEvent;
    final boolean endpoint;
    final boolean mmuNotify;
    /**
     * Whether pages are looked for when a transfer touches them: who comes while they are missing, too early after
     * they changed for example, gets an error then, and the process no signal.
     */
    final boolean onDemand;
    final boolean hmem;
    final boolean pmem;
    final boolean authKeys;
    /** Whether they come through address vectors. */
    final boolean avAuthKeys;
    /** Whether what peers write can be counted. */
    final boolean counts;
    final boolean atomics;
    /** Whether peers reach memory at all; then they look up keys: what they mean, or why the device refused them. */
    final boolean hasMemory;
    /** Whether peers may read regions; where they reach none, rights are as they were asked for, and keys names. */
    final boolean remoteRead;
    /** Whether they may change them; likewise. */
    final boolean remoteWrite;
    /** Whether the device has pages that lie apart as one region. */
    final boolean pageLists;
    /** Whether the device can name memory by an address of choice. */
    final boolean iovaOfChoice;
    /** Why not. */
    final String whyNoIova;
    /** Whether a region follows its pages without new keys. */
    final boolean refreshes;
    /** Why not. */
    final String whyNoRefresh;
    /** Whether the device writes memory as a processor of this machine does. */
    final boolean storesByProcessor;
    /** Bytes of an application's key. */
    final int keyBytes;
    final int iovLimit;
    final int mrCount;
    /** Bytes of a region at most. */
    final long maxLength;

    RegionRules(final FabricInfo info, final RdmaContext context) {
        this.info = info;
        provKey = info.needs(MrMode.PROV_KEY);
        virtAddr = info.needs(MrMode.VIRT_ADDR);
        allocated = info.needs(MrMode.ALLOCATED);
        raw = info.needs(MrMode.RAW);
        rmaEvent = info.needs(MrMode.RMA_EVENT);
        endpoint = info.needs(MrMode.ENDPOINT);
        mmuNotify = info.needs(MrMode.MMU_NOTIFY);
        hmem = info.capabilities().contains(Capability.HMEM);
        pmem = info.capabilities().contains(Capability.RMA_PMEM);
        authKeys = Integer.compareUnsigned(info.apiVersion(), VERSION_1_5) >= 0;
        avAuthKeys = info.avAuthKeys();
        atomics = context.supports(Feature.ATOMICS);
        counts = info.capabilities().contains(Capability.RMA_EVENT);
        hasMemory = info.capabilities().contains(Capability.RMA) || info.capabilities().contains(Capability.ATOMIC);
        remoteRead = !hasMemory || info.capabilities().contains(Capability.REMOTE_READ);
        remoteWrite = !hasMemory || info.capabilities().contains(Capability.REMOTE_WRITE);
        pageLists = context.supports(Feature.PAGE_LISTS);
        whyNoIova = context.whyNot(Feature.IOVA_OF_CHOICE);
        iovaOfChoice = context.supports(Feature.IOVA_OF_CHOICE);
        // Where the pages change, peers with a key of the device must be kept out without taking that key away.
        onDemand = (mmuNotify ? context.supports(Feature.SUSPEND) : !allocated)
            && context.supports(Feature.ON_DEMAND_PAGING) && context.supports(Feature.ON_DEMAND_EVERYWHERE);
        whyNoRefresh = context.whyNot(Feature.REFRESH);
        refreshes = whyNoRefresh == null;
        storesByProcessor = context.supports(Feature.PROCESSOR_STORES);
        keyBytes = Math.min(Long.BYTES, info.domainAttributes().mrKeySize());
        iovLimit = info.domainAttributes().mrIovLimit();
        mrCount = info.domainAttributes().mrCount();
        maxLength = context.attributes().maxMrSize();
    }

    @Override
    public String toString() {
        return "mr_mode " + info.mrMode();
    }
}
