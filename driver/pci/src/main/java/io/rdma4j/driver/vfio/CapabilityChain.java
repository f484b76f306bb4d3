/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.DirectBuffer;

/**
 * The list of capabilities behind an info struct ({@code struct vfio_info_cap_header}). Each entry says where the next
 * one is, from the beginning of the info struct; 0 ends the list.
 *
 * <pre>
 *   0           2           4                       8
 *  +-----------+-----------+-----------------------+----------
 *  |    id     |  version  |         next          |  payload
 *  +-----------+-----------+-----------------------+----------
 * </pre>
 */
final class CapabilityChain {
    static final int ID_OFFSET = 0;
    static final int VERSION_OFFSET = 2;
    static final int NEXT_OFFSET = 4;
    static final int HEADER_LENGTH = 8;

    static final Layout LAYOUT = Layout.of("vfio_info_cap_header", HEADER_LENGTH)
        .u16("id", ID_OFFSET)
        .u16("version", VERSION_OFFSET)
        .u32("next", NEXT_OFFSET)
        .build();

    private CapabilityChain() {
    }

    /**
     * Finds a capability whose header and first bytes lie inside the buffer. A chain that runs in a circle or out of
     * the buffer ends there.
     *
     * @param info    the info struct and what follows it.
     * @param first   where the first entry is; 0 if there is none.
     * @param id      which capability.
     * @param version which version of it: another one has another shape.
     * @param length  bytes of its fixed part, header included.
     * @return its offset, or -1.
     */
    static int find(final DirectBuffer info, final int first, final int id, final int version, final int length) {
        int at = first;
        for (int left = info.capacity() / HEADER_LENGTH; left > 0 && fits(info, at, HEADER_LENGTH); left--) {
            if (unsigned(info, at + ID_OFFSET) == id && unsigned(info, at + VERSION_OFFSET) == version
                && fits(info, at, length)) {
                return at;
            }
            at = info.getInt(at + NEXT_OFFSET, LITTLE_ENDIAN);
        }
        return -1;
    }

    /** How many entries of an array behind a capability's fixed part really are in the buffer. */
    static int entries(final DirectBuffer info, final int said, final int array, final int entryLength) {
        final int room = Math.max(0, info.capacity() - array) / entryLength;
        return Integer.compareUnsigned(said, room) > 0 ? room : said;
    }

    private static boolean fits(final DirectBuffer info, final int at, final int length) {
        return at > 0 && length <= info.capacity() && at <= info.capacity() - length;
    }

    private static int unsigned(final DirectBuffer info, final int at) {
        return info.getShort(at, LITTLE_ENDIAN) & 0xffff;
    }
}
