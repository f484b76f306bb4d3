/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.pvrdma.device.MemoryRegistration;

import java.util.Set;

/**
 * What a region is at a time; replaced as a whole.
 *
 * @param pd           its domain.
 * @param memory       where its bytes are.
 * @param iova         how their address was asked for.
 * @param access       rights besides local read; unmodifiable.
 * @param registration what the device knows of it.
 */
record RegionState(
    PvrdmaPd pd, RegionMemory memory, IovaRule iova, Set<AccessFlag> access, MemoryRegistration registration) {

    RegionState(final PvrdmaPd pd, final RegionRequest request, final RegionMemory memory) {
        this(pd, memory, request.iova(), request.access(), request.register(pd, memory));
    }

    /** The rights as the device was told them. */
    int accessBits() {
        return AccessFlag.requiredBits(access) | iova.accessBit();
    }
}
