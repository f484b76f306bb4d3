/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.MrMode;

import java.util.function.Function;
import java.util.function.Predicate;

/** The table of docs/fabric.md: for each mode bit which devices need it and why, and how the others do without. */
enum ModeRule {
    /** The cache hides it. */
    LOCAL(q -> false, q -> "",
        q -> "local buffers without a descriptor are registered through the registration cache"),
    /** Keys of these devices fit. */
    RAW(q -> false, q -> "", q -> "keys fit into 64 bits and need no setup at the peer"),
    /** Where the device cannot let regions begin at 0. */
    VIRT_ADDR(ModeQuestion::needsDeviceAddresses,
        q -> "the device names memory only by the addresses that it has here (" + q.device().whyNot(Trait.ZERO_BASED)
            + ")",
        q -> q.namesRemoteMemory() ? "regions are registered so that the device names their first byte 0"
            : "without RMA no peer names memory"),
    /** Where the device reads pages when it registers. */
    ALLOCATED(q -> q.needsPages() && !q.isToldOfPages(),
        q -> "the device is told of pages when memory is registered, and not again ("
            + q.device().whyNot(Trait.PAGE_FAULTS) + ")"
            + (q.canBeToldOfPages() ? "" : "; nor can it exchange pages under the keys that peers have"),
        q -> q.needsPages() ? "FI_MR_MMU_NOTIFY stands in: the application tells when pages are there"
            : "pages are looked for when they are used"),
    /** Where an application's key cannot be kept apart from the device's. */
    PROV_KEY(ModeQuestion::needsDeviceKeys,
        q -> "the device chooses keys, and uses them again at once, so that peers must not keep what they looked up ("
            + q.device().whyNot(Trait.KEYS_NOT_REUSED) + ")",
        q -> q.namesRemoteMemory() ? "peers look up the device's key for the application's by RDMA READ"
            : "without RMA a key is only a name"),
    /** In place of ALLOCATED. */
    MMU_NOTIFY(ModeQuestion::isToldOfPages,
        q -> "the device cannot fault pages in (" + q.device().whyNot(Trait.PAGE_FAULTS)
            + "): pages that come after the registration have to be told",
        q -> q.needsPages() ? "pages are there when memory is registered" : "pages are looked for when they are used"),
    /** Cells count. */
    RMA_EVENT(q -> false, q -> "", q -> q.given().contains(Capability.RMA_EVENT)
        ? "each region that peers may write has a cell that counts from the start"
        : "nothing counts accesses to regions"),
    /** Regions are the domain's. */
    ENDPOINT(q -> false, q -> "", q -> "regions belong to the domain: all its endpoints reach them"),
    /** Nobody here can ask an accelerator what an address is. */
    HMEM(q -> q.given().contains(Capability.HMEM),
        q -> "memory of devices is found by what the application tells of it (interface, device, dma-buf)",
        q -> "without FI_HMEM there is no memory of devices"),
    /** There are none. */
    COLLECTIVE(q -> false, q -> "", q -> "no device has collective operations");

    private final Predicate<ModeQuestion> needed;
    private final Function<ModeQuestion, String> why;
    private final Function<ModeQuestion, String> whyNot;

    ModeRule(
        final Predicate<ModeQuestion> needed, final Function<ModeQuestion, String> why,
        final Function<ModeQuestion, String> whyNot) {
        this.needed = needed;
        this.why = why;
        this.whyNot = whyNot;
    }

    MrMode mode() {
        return MrMode.valueOf(name());
    }

    boolean isNeeded(final ModeQuestion question) {
        return needed.test(question);
    }

    /** Why the device needs it. */
    String why(final ModeQuestion question) {
        return why.apply(question);
    }

    /** How the device does without it. */
    String whyNot(final ModeQuestion question) {
        return whyNot.apply(question);
    }
}
