/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A global identifier: 128 bits, on Ethernet an IPv6 address or an IPv4 one in its mapped form. Immutable.
 *
 * @param high the first eight bytes, the first one most significant.
 * @param low  the last eight bytes.
 */
public record Gid(long high, long low) {
    /** Bytes in a GID. */
    public static final int LENGTH = 16;

    /** The GID that stands for none. */
    public static final Gid ZERO = new Gid(0, 0);

    private static final Pattern IPV4 =
        Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F.]*:[0-9a-fA-F:.]*");
    private static final long IPV4_MAPPED = 0x0000_ffff_0000_0000L;

    /**
     * From bytes in wire order.
     *
     * @param bytes 16 bytes.
     * @return the GID.
     * @throws IllegalArgumentException if there are not 16.
     */
    public static Gid of(final byte[] bytes) {
        if (bytes == null || bytes.length != LENGTH) {
            throw new IllegalArgumentException("a GID has 16 bytes, not " + (bytes == null ? null : bytes.length));
        }
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Gid(buffer.getLong(), buffer.getLong());
    }

    /**
     * The link-local GID that belongs to a GUID.
     *
     * @param guid an EUI-64.
     * @return {@code fe80::guid}.
     */
    public static Gid linkLocal(final long guid) {
        return new Gid(0xfe80_0000_0000_0000L, guid);
    }

    /**
     * Reads an IPv6 address, or an IPv4 one as {@code ::ffff:a.b.c.d} or {@code a.b.c.d}. Names are not looked up.
     *
     * @param text the address.
     * @return the GID.
     * @throws RdmaException EINVAL if it is not an address.
     */
    public static Gid parse(final String text) {
        // A literal for sure: anything else with the digits and dots of one would be asked the name service.
        if (text != null && (IPV4.matcher(text).matches() || IPV6.matcher(text).matches())) {
            try {
                final byte[] bytes = InetAddress.getByName(text).getAddress();
                if (bytes.length == LENGTH) {
                    return of(bytes);
                }
                return new Gid(0, IPV4_MAPPED | ByteBuffer.wrap(bytes).getInt() & 0xffff_ffffL);
            } catch (final UnknownHostException ignored) {
                // Not an address: reported below.
            }
        }
        throw RdmaException.of("parse GID")
            .detail("'%s' is not an IPv6 or IPv4 address", text)
            .errno(RdmaException.EINVAL)
            .hint("write fe80::1 or ::ffff:10.0.0.1")
            .build();
    }

    /**
     * The bytes in wire order.
     *
     * @return 16 new bytes.
     */
    public byte[] bytes() {
        return ByteBuffer.allocate(LENGTH).putLong(high).putLong(low).array();
    }

    /**
     * Whether it stands for none.
     *
     * @return true if all bits are 0.
     */
    public boolean isZero() {
        return high == 0 && low == 0;
    }

    /**
     * Whether it is an IPv4 address in its mapped form.
     *
     * @return true for {@code ::ffff:a.b.c.d}.
     */
    public boolean isIpv4Mapped() {
        return high == 0 && low >>> 32 == IPV4_MAPPED >>> 32;
    }

    /**
     * Whether it is a multicast address.
     *
     * @return true for {@code ff00::/8}.
     */
    public boolean isMulticast() {
        return high >>> 56 == 0xff;
    }

    /**
     * The address in the way it is written: IPv6 with its longest run of zeroes left out, or {@code ::ffff:a.b.c.d}.
     *
     * @return text that {@link #parse} reads.
     */
    @Override
    public String toString() {
        if (isIpv4Mapped()) {
            return String.format(Locale.ROOT, "::ffff:%d.%d.%d.%d",
                low >>> 24 & 0xff, low >>> 16 & 0xff, low >>> 8 & 0xff, low & 0xff);
        }
        return compressed(groups());
    }

    private int[] groups() {
        final int[] groups = new int[8];
        for (int i = 0; i < 4; i++) {
            groups[i] = (int) (high >>> 48 - 16 * i) & 0xffff;
            groups[4 + i] = (int) (low >>> 48 - 16 * i) & 0xffff;
        }
        return groups;
    }

    private static String compressed(final int[] groups) {
        int start = -1;
        int longest = 1;
        for (int i = 0; i < groups.length; i++) {
            int end = i;
            while (end < groups.length && groups[end] == 0) {
                end++;
            }
            if (end - i > longest) {
                start = i;
                longest = end - i;
            }
        }
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < groups.length; i++) {
            if (i == start) {
                text.append("::");
                i += longest - 1;
            } else {
                if (i > 0 && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
