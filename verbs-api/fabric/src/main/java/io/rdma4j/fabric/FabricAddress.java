/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.verbs.Gid;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
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
 * <p>STR is UTF-8 text (fi_getinfo(3), "FI_ADDR_STR"), in one of these forms, which all formats are printed in:
 * <pre>
 *  fi_sockaddr_in://127.0.0.1:7000
 *  fi_sockaddr_in6://[fe80::1%2]:7000                          the scope only if there is one
 *  fi_rdma4j://[fe80::1]:17?qkey=0x1ee7&amp;kind=rdm               the device's own
 * </pre>
 * What is read may also begin with {@code fi_sockaddr:}, with either family behind it, in any case of letters; a port
 * that is missing is 0, and so is a queue key; a scope may be the name of an interface of this node.
 */
public final class FabricAddress {
    /** Version of the device's own format. */
    public static final int DEVICE_VERSION = 1;
    static final int DEVICE_SIZE = 32;
    static final int MAX_QPN = 0xff_ffff;
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
        if (qpn < 0 || qpn > MAX_QPN) {
            throw FabricException.of(MAKE).detail("qpn is %d, allowed are 0 to 0xffffff", qpn)
                .errno(FiErrno.FI_EINVAL).build();
        }
        final ByteBuffer to = ByteBuffer.allocate(DEVICE_SIZE).order(ByteOrder.LITTLE_ENDIAN);
        to.put(gid.bytes()).putInt(qpn).putInt(qkey).putShort((short) DEVICE_VERSION).putShort((short) kind.value());
        return new FabricAddress(AddressFormat.DEVICE, to.array());
    }

    /**
     * An address of sockets.
     *
     * @param address with an address, not just a name of a host.
     * @return the address, SOCKADDR_IN or SOCKADDR_IN6 by its family.
     * @throws FabricException FI_EINVAL for null or an unresolved one.
     */
    public static FabricAddress socket(final InetSocketAddress address) {
        Arguments.notNull(MAKE, "address", address);
        if (address.isUnresolved()) {
            throw FabricException.of(MAKE).detail("%s was not resolved", address).errno(FiErrno.FI_EINVAL)
                .hint("use AddressVector.insertService, or new InetSocketAddress").build();
        }
        return SocketBytes.encode(address);
    }

    /**
     * Text as it is, of the format STR; what it says is checked where it is used.
     *
     * @param text in a form of FI_ADDR_STR.
     * @return the address.
     * @throws FabricException FI_EINVAL for null.
     */
    public static FabricAddress text(final String text) {
        return new FabricAddress(AddressFormat.STR,
            Arguments.notNull(MAKE, "text", text).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads text in one of the forms above.
     *
     * @param text such as {@code fi_sockaddr_in://127.0.0.1:7000}. Names of hosts are not looked up.
     * @return what it says: DEVICE, SOCKADDR_IN or SOCKADDR_IN6.
     * @throws FabricException FI_EINVAL if it is not an address; the message says what is wrong with it.
     */
    public static FabricAddress parse(final String text) {
        return AddressText.parse(text);
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

    /**
     * What it says, checked.
     *
     * @return this; for STR what the text stands for.
     * @throws FabricException FI_EINVAL for another address family, version or kind, bytes that are not 0 where they
     *                         must be, and text that is no address.
     */
    public FabricAddress decoded() {
        return switch (format) {
            case DEVICE -> DeviceBytes.check(this);
            case SOCKADDR_IN, SOCKADDR_IN6 -> SocketBytes.check(this);
            case STR -> parse(string());
        };
    }

    /**
     * The GID of an address in the device's own format; this and the following read such text, too.
     *
     * @return the GID.
     * @throws FabricException FI_EINVAL for an address of sockets, and as {@link #decoded}.
     */
    public Gid gid() {
        return DeviceBytes.gid(device());
    }

    /**
     * The queue pair number of an address in the device's own format.
     *
     * @return 0 to 0xffffff.
     * @throws FabricException as {@link #gid}.
     */
    public int qpn() {
        return DeviceBytes.qpn(device());
    }

    /**
     * The queue key of an address in the device's own format.
     *
     * @return 32 bits.
     * @throws FabricException as {@link #gid}.
     */
    public int qkey() {
        return DeviceBytes.qkey(device());
    }

    /**
     * The kind of endpoint of an address in the device's own format.
     *
     * @return the kind.
     * @throws FabricException as {@link #gid}.
     */
    public EndpointType kind() {
        return DeviceBytes.kind(device());
    }

    private FabricAddress device() {
        final FabricAddress plain = decoded();
        if (plain.format != AddressFormat.DEVICE) {
            throw FabricException.of("read address").detail("%s is an address of sockets", plain)
                .errno(FiErrno.FI_EINVAL).hint("the name service tells which endpoint it stands for").build();
        }
        return plain;
    }

    /**
     * An address of sockets, or text that is one.
     *
     * @return address and port, which may be 0.
     * @throws FabricException FI_EINVAL for one in the device's own format, and as {@link #decoded}.
     */
    public InetSocketAddress socketAddress() {
        final FabricAddress plain = decoded();
        if (plain.format == AddressFormat.DEVICE) {
            throw FabricException.of("read address").detail("%s is no address of sockets", plain)
                .errno(FiErrno.FI_EINVAL).build();
        }
        return SocketBytes.decode(plain);
    }

    /** Not copied: for readers in this package only. */
    byte[] raw() {
        return bytes;
    }

    String string() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * The address as text, see above (fi_av_straddr).
     *
     * @return text that {@link #parse} reads; of an address that says nothing sensible its bytes; of STR the text.
     */
    @Override
    public String toString() {
        return AddressText.print(this);
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
