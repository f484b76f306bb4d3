/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Which network protocol a GID is of. The library tells from rdma-core 32 on; before, its function does not exist, and
 * the kernel's files tell (Documentation/ABI/stable/sysfs-class-infiniband, gid_attrs/types).
 */
final class GidTypes {
    /** For an entry that is empty, and where neither library nor kernel tells. */
    static final int NONE = -1;
    static final int INFINIBAND = 0;
    static final int ROCE_V1 = 1;
    static final int ROCE_V2 = 2;
    private static final String OF_VERSION_2 = "RoCE v2";
    private static final long OK = 0;

    private final IbvContext context;
    private final long queryGidEx;
    private final Path ports;

    /**
     * For a device.
     *
     * @param context    of it.
     * @param queryGidEx the library's function; 0 if it has none.
     * @param ports      the kernel's folder of its ports.
     */
    GidTypes(final IbvContext context, final long queryGidEx, final Path ports) {
        this.context = context;
        this.queryGidEx = queryGidEx;
        this.ports = ports;
    }

    static GidTypes of(final IbvContext context) {
        return new GidTypes(context, context.library.find("_ibv_query_gid_ex"),
            Path.of("/sys/class/infiniband", Devices.name(context.member(Abi.Context.DEVICE)), "ports"));
    }

    /** Of an entry of the device's table. */
    int of(final int port, final int index) {
        return queryGidEx == 0 ? ofFile(port, index) : ofLibrary(port, index);
    }

    private int ofLibrary(final int port, final int index) {
        final UnsafeBuffer entry = Struct.allocate(Abi.GidEntry.LENGTH);
        final int answer = context.library.callInt(queryGidEx, context.pointer, port, index, entry.addressOffset(), 0,
            (long) Abi.GidEntry.LENGTH);
        return answer == OK ? entry.getInt(Abi.GidEntry.GID_TYPE) : NONE;
    }

    private int ofFile(final int port, final int index) {
        final String said;
        try {
            said = Files.readString(ports.resolve(port + "/gid_attrs/types/" + index)).strip();
        } catch (final IOException e) {
            // The kernel answers EINVAL for an empty entry.
            return NONE;
        }
        return OF_VERSION_2.equals(said) ? ROCE_V2 : isEthernet(port) ? ROCE_V1 : INFINIBAND;
    }

    private boolean isEthernet(final int port) {
        final UnsafeBuffer attr = Struct.allocate(Abi.PortAttr.LENGTH);
        return PortQuery.ask(context, port, attr) == OK && PortQuery.isEthernet(attr);
    }

    @Override
    public String toString() {
        return queryGidEx == 0 ? "by " + ports : "by the library";
    }
}
