/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.GidType;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

/**
 * The GID table of a device's ports. It is the kernel's: entries follow the addresses of the network device. One thing
 * is different here: index 0 is the GID to send from by default, chosen for each port when the device is opened, and
 * the device's own entry 0 stands where that one was. So programs that name no index use one that reaches peers; on
 * RoCE the device's own entry 0 often is of version 1, which is not routed.
 */
final class GidTable {
    private static final int NOT_THERE = -1;

    private final IbvContext context;
    private final GidTypes types;
    /** The device's index of what stands at index 0 of each port. */
    private final int[] firsts;

    /**
     * Chooses the first ones.
     *
     * @param context of the device.
     * @param types   of its GIDs.
     * @param wished  the GID to stand at index 0, of port 1 at least; null for the best ones.
     */
    GidTable(final IbvContext context, final GidTypes types, final Gid wished) {
        this.context = context;
        this.types = types;
        firsts = new int[context.attributes().physicalPortCount()];
        for (int port = 1; port <= firsts.length; port++) {
            final int found = wished == null ? NOT_THERE : find(port, wished);
            if (wished != null && found < 0 && port == 1) {
                throw notThere(wished);
            }
            firsts[port - 1] = found < 0 ? best(port) : found;
        }
    }

    /** Routable by IPv4, then by IPv6, then whatever is first: InfiniBand has but one. */
    private int best(final int port) {
        int best = 0;
        int bestRank = 0;
        for (int i = 0; i < context.attributes().gidTableLength(); i++) {
            final int rank = rank(port, i);
            if (rank > bestRank) {
                best = i;
                bestRank = rank;
            }
        }
        return best;
    }

    private int rank(final int port, final int index) {
        if (types.of(port, index) != GidTypes.ROCE_V2) {
            return 0;
        }
        final Gid gid = read(port, index);
        return gid.isIpv4Mapped() ? 3 : gid.high() >>> 48 == 0xfe80 ? 1 : 2;
    }

    private int find(final int port, final Gid wished) {
        int found = NOT_THERE;
        for (int i = 0; i < context.attributes().gidTableLength(); i++) {
            if (read(port, i).equals(wished) && (found < 0 || types.of(port, i) == GidTypes.ROCE_V2)) {
                found = i;
            }
        }
        return found;
    }

    private RdmaException notThere(final Gid wished) {
        return RdmaException.of("open device")
            .device(context.address())
            .detail("%s GID %s, but %s", firsts.length == 1 ? "no port has" : "port 1 has not", wished, names())
            .errno(RdmaException.EINVAL)
            .hint("give the address to the network device of the RDMA device; show_gids and ibv_devinfo -v list "
                + "what there is")
            .build();
    }

    /** Those that there are. */
    private String names() {
        final List<String> names = new ArrayList<>();
        for (int i = 0; i < context.attributes().gidTableLength(); i++) {
            final Gid gid = read(1, i);
            if (!gid.isZero() && !names.contains(gid.toString())) {
                names.add(gid.toString());
            }
        }
        return names.isEmpty() ? "there is none at all" : String.join(", ", names);
    }

    /** The device's index. */
    int toDevice(final int port, final int index) {
        // A device that does not tell of which port a way is answers 0.
        final int first = firsts[port < 1 || port > firsts.length ? 0 : port - 1];
        return index == 0 ? first : index == first ? 0 : index;
    }

    /** The index of a device's index. */
    int fromDevice(final int port, final int index) {
        return toDevice(port, index);
    }

    Gid get(final int port, final int index) {
        return read(port, toDevice(port, index));
    }

    private Gid read(final int port, final int index) {
        final UnsafeBuffer gid = Struct.allocate(Gid.LENGTH);
        if (context.library.queryGid(context.pointer, (byte) port, index, gid.addressOffset()) != 0) {
            return Gid.ZERO;
        }
        final byte[] bytes = new byte[Gid.LENGTH];
        gid.getBytes(0, bytes);
        return Gid.of(bytes);
    }

    /** The network protocol of an entry; where it is empty, or the library does not tell, that of most. */
    GidType typeOf(final int port, final int index) {
        return switch (types.of(port, toDevice(port, index))) {
            case GidTypes.INFINIBAND -> GidType.IB;
            case GidTypes.ROCE_V1 -> GidType.ROCE_V1;
            default -> GidType.ROCE_V2;
        };
    }

    /** Why packets from a GID may reach nobody: others expect RoCE version 2. Null if it is not of version 1. */
    String objection(final int port, final int index) {
        if (types.of(port, toDevice(port, index)) != GidTypes.ROCE_V1) {
            return null;
        }
        final int device = best(port);
        final int best = fromDevice(port, device);
        return "GID index " + index + ", " + get(port, index) + ", is of RoCE version 1, which is not routed, and "
            + "which peers with version 2 do not understand: " + (types.of(port, device) == GidTypes.ROCE_V2
            ? "send from GID index " + best + ", " + get(port, best)
            : "this port has none of version 2, so give its network device an IP address, or let the adapter do it");
    }

    @Override
    public String toString() {
        return "GID index 0 is " + get(1, 0) + ", " + typeOf(1, 0).title() + ", the device's index " + firsts[0]
            + ", types " + types;
    }
}
