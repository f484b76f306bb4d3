/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** struct sockaddr_in and struct sockaddr_in6 of Linux (netinet/in.h), byte by byte: see {@link FabricAddress}. */
final class SocketBytes {
    /** Linux' numbers (bits/socket.h). */
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int IN6_ADDRESS_OFFSET = 8;
    static final int IN6_SCOPE_OFFSET = 24;
    static final int IN_ADDRESS_OFFSET = 4;
    private static final int PORT_OFFSET = 2;
    private static final int IN_ZERO_OFFSET = 8;
    private static final int IN6_FLOW_OFFSET = 4;
    private static final int IN_LENGTH = 4;
    private static final int IN6_LENGTH = 16;

    private SocketBytes() {
    }

    static FabricAddress encode(final InetSocketAddress from) {
        final InetAddress ip = from.getAddress();
        final int scope = ip instanceof Inet6Address ? ((Inet6Address) ip).getScopeId() : 0;
        return encode(ip.getAddress(), scope, from.getPort());
    }

    /** By the number of its bytes, 4 or 16. */
    static FabricAddress encode(final byte[] ip, final int scope, final int port) {
        final boolean isIn = ip.length == IN_LENGTH;
        final AddressFormat format = isIn ? AddressFormat.SOCKADDR_IN : AddressFormat.SOCKADDR_IN6;
        final ByteBuffer to = ByteBuffer.allocate(FabricAddress.size(format));
        to.order(ByteOrder.nativeOrder()).putShort((short) (isIn ? AF_INET : AF_INET6));
        to.order(ByteOrder.BIG_ENDIAN).putShort((short) port);
        to.position(isIn ? IN_ADDRESS_OFFSET : IN6_ADDRESS_OFFSET).put(ip);
        if (!isIn) {
            to.order(ByteOrder.nativeOrder()).putInt(scope);
        }
        return FabricAddress.of(format, to.array());
    }

    static FabricAddress check(final FabricAddress address) {
        final boolean isIn = address.format() == AddressFormat.SOCKADDR_IN;
        final ByteBuffer bytes = bytes(address);
        final int family = bytes.getShort(0) & 0xffff;
        final int wanted = isIn ? AF_INET : AF_INET6;
        if (family != wanted) {
            throw bad(address, "address family is %d, not %d", family, wanted);
        }
        if (isIn && bytes.getLong(IN_ZERO_OFFSET) != 0) {
            throw bad(address, "bytes from %d are 0x%x, not 0", IN_ZERO_OFFSET, bytes.getLong(IN_ZERO_OFFSET));
        }
        if (!isIn && bytes.getInt(IN6_FLOW_OFFSET) != 0) {
            throw bad(address, "flow information is 0x%x, not 0", bytes.getInt(IN6_FLOW_OFFSET));
        }
        return address;
    }

    static byte[] ip(final FabricAddress address) {
        final boolean isIn = address.format() == AddressFormat.SOCKADDR_IN;
        final int offset = isIn ? IN_ADDRESS_OFFSET : IN6_ADDRESS_OFFSET;
        return Arrays.copyOfRange(address.raw(), offset, offset + (isIn ? IN_LENGTH : IN6_LENGTH));
    }

    static int port(final FabricAddress address) {
        return bytes(address).order(ByteOrder.BIG_ENDIAN).getShort(PORT_OFFSET) & 0xffff;
    }

    static int scope(final FabricAddress address) {
        return address.format() == AddressFormat.SOCKADDR_IN ? 0 : bytes(address).getInt(IN6_SCOPE_OFFSET);
    }

    static InetSocketAddress decode(final FabricAddress address) {
        try {
            final byte[] ip = ip(address);
            final int scope = scope(address);
            final InetAddress inet = scope == 0 ? InetAddress.getByAddress(ip)
                : Inet6Address.getByAddress(null, ip, scope);
            return new InetSocketAddress(inet, port(address));
        } catch (final UnknownHostException e) {
            throw new AssertionError("4 and 16 bytes are an address", e);
        }
    }

    private static ByteBuffer bytes(final FabricAddress address) {
        return ByteBuffer.wrap(address.raw()).order(ByteOrder.nativeOrder());
    }

    private static FabricException bad(final FabricAddress address, final String format, final Object... values) {
        return FabricException.of("read address").detail(address.format() + ": " + format, values)
            .errno(FiErrno.FI_EINVAL).hint("make it with FabricAddress.socket").build();
    }
}
