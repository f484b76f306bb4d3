/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keys that the applications of a domain chose (checklist 7, 60, 61). Thread-safe, without a lock. */
final class KeyNames {
    private final Set<Long> used = ConcurrentHashMap.newKeySet();
    private final int bytes;

    /** Keys of so many bytes. */
    KeyNames(final int bytes) {
        this.bytes = bytes;
    }

    /** Refuses a key that this provider cannot have. */
    void check(final long key) {
        if (key == MemoryRegion.KEY_NOTAVAIL) {
            throw rejected(key, "that is FI_KEY_NOTAVAIL, which stands for no key").build();
        }
        if (MappedKeys.isMapped(key)) {
            throw rejected(key, "keys whose upper 16 bits are 0xfffe are those of Domain.mapRaw").build();
        }
        if (bytes < Long.BYTES && key >>> bytes * Byte.SIZE != 0) {
            throw rejected(key, "mr_key_size is " + bytes + " bytes")
                .hint("ask for a smaller key, or open the domain with a larger mr_key_size").build();
        }
    }

    private static FabricException.Builder rejected(final long key, final String why) {
        return Refusals.of(FiErrno.FI_EKEYREJECTED, Refusals.REGISTER, "requested key 0x%x: %s", key, why);
    }

    void take(final long key) {
        check(key);
        if (!used.add(key)) {
            throw Refusals.of(FiErrno.FI_ENOKEY, Refusals.REGISTER, "requested key 0x%x is in use", key)
                .hint("close the region that has it, or ask for another one").build();
        }
    }

    void giveBack(final long key) {
        used.remove(key);
    }
}
