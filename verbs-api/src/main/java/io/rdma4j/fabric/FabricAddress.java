/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.verbs.Gid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * An address of an endpoint in one of the formats of {@link AddressFormat}. Immutable.
 *
 * <pre>
 *  DEVICE         SOCKADDR_IN (struct sockaddr_in)    SOCKADDR_IN6 (struct sockaddr_in6)
 *   0 gid            0 u16 AF_INET, native               0 u16 AF_INET6, native
 *  16 u32 qpn        2 u16 port, big endian              2 u16 port, big endian
 *  20 u32 qkey       4 address                           4 u32 flow information, 0
 *  24 u16 version    8 zero                              8 address
 *  26 u16 kind      16                                  24 u32 scope
 *  28 zero                                              28
 *  32, little endian but for the GID
 * </pre>
 *
 * <p>STR is UTF-8 text such as {@code fi_sockaddr_in://127.0.0.1:7000} (fi_getinfo(3), "FI_ADDR_STR").
 */
public final class FabricAddress {
    /** Version of the device's own format. */
    public static final int DEVICE_VERSION = 1;
    private static final int DEVICE_SIZE = 32;
    private static final int GID_SIZE = 16;
    private static final String MAKE = "make address";

    private final AddressFormat format;
    private final byte[] bytes;

    private FabricAddress(final AddressFormat format, final byte[] bytes) {
        this.format = format;
        this.bytes = bytes;
    }

    /**
     * Bytes as they are; what they say is checked where they are used.
     *
     * @param format how they are written.
     * @param bytes  copied.
     * @return the address.
     * @throws FabricException FI_EINVAL for null, or a number of bytes that the format does not have.
     */
    public static FabricAddress of(final AddressFormat format, final byte[] bytes) {
        Arguments.notNull(MAKE, "format", format);
        Arguments.notNull(MAKE, "bytes", bytes);
        final int size = size(format);
        if (size != 0 && bytes.length != size) {
            throw FabricException.of(MAKE).detail("%d bytes, an address of %s has %d", bytes.length, format, size)
                .errno(FiErrno.FI_EINVAL).build();
        }
        return new FabricAddress(format, bytes.clone());
    }

    /**
     * An address in the device's own format.
     *
     * @param gid  of the port.
     * @param qpn  queue pair number, 0 to 0xffffff.
     * @param qkey queue key; 0 for connected endpoints.
     * @param kind of endpoint.
     * @return the address.
     * @throws FabricException FI_EINVAL for null or a number that does not fit.
     */
    public static FabricAddress device(final Gid gid, final int qpn, final int qkey, final EndpointType kind) {
        Arguments.notNull(MAKE, "gid", gid);
        Arguments.notNull(MAKE, "kind", kind);
        if (qpn < 0 || qpn > 0xff_ffff) {
            throw FabricException.of(MAKE).detail("qpn is %d, allowed are 0 to 0xffffff", qpn)
                .errno(FiErrno.FI_EINVAL).build();
        }
        final ByteBuffer to = ByteBuffer.allocate(DEVICE_SIZE).order(ByteOrder.LITTLE_ENDIAN);
        to.put(gid.bytes()).putInt(qpn).putInt(qkey).putShort((short) DEVICE_VERSION).putShort((short) kind.value());
        return new FabricAddress(AddressFormat.DEVICE, to.array());
    }

    /**
     * Bytes of an address.
     *
     * @param format how it is written.
     * @return 16, 28 or 32; 0 for text, which has no fixed size.
     * @throws FabricException FI_EINVAL for null.
     */
    public static int size(final AddressFormat format) {
        return switch (Arguments.notNull(MAKE, "format", format)) {
            case DEVICE -> DEVICE_SIZE;
            case SOCKADDR_IN -> 16;
            case SOCKADDR_IN6 -> 28;
            case STR -> 0;
        };
    }

    /**
     * How it is written.
     *
     * @return the format.
     */
    public AddressFormat format() {
        return format;
    }

    /**
     * The address.
     *
     * @return a copy.
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof FabricAddress && ((FabricAddress) other).format == format
            && Arrays.equals(((FabricAddress) other).bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
