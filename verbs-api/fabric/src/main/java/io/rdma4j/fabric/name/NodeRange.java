/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.Gid;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Nodes, counted up from the first one (fi_av_insertsym; checklist 84): addresses of IPv4 and IPv6, GIDs too, with
 * carry; a scope, as in {@code fe80::1%2} or {@code fe80::1%eth0}, stays; names in the number at their end, which keeps
 * its zeros in front. Immutable.
 */
public final class NodeRange {
    private static final String COUNT = "count nodes up";
    private static final Pattern NUMBERED = Pattern.compile("(.*?)([0-9]+)");
    private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(?:\\.[0-9]{1,3}){3}");
    private static final int MAX_NAME = 253;
    private static final char SCOPE = '%';
    /** In struct sockaddr_in6. */
    private static final int SCOPE_OFFSET = 24;

    private final int count;
    private final String prefix;
    private final int width;
    private final int bytes;
    private final BigInteger first;
    /** Behind each address: {@code %} and the scope, or nothing. */
    private final String scope;

    private NodeRange(
        final int count, final String prefix, final int width, final int bytes, final BigInteger first,
        final String scope) {
        this.count = count;
        this.prefix = prefix;
        this.width = width;
        this.bytes = bytes;
        this.first = first;
        this.scope = scope;
    }

    /**
     * Checks and keeps a range.
     *
     * @param first an address of IPv4 or IPv6, or a name.
     * @param count how many, 0 or more.
     * @return the range.
     * @throws FabricException FI_EINVAL for null, empty or too long names, a negative count, a name without a number
     *                         at its end and a count above 1, and for ranges that leave what can be counted.
     */
    public static NodeRange of(final String first, final int count) {
        if (first == null || first.isBlank() || first.length() > MAX_NAME) {
            throw bad("the node is '%s', it has to have 1 to %d characters", first, MAX_NAME);
        }
        if (count < 0) {
            throw bad("%d nodes, from %s: the number is negative", count, first);
        }
        return isAddress(first) ? addresses(first, count) : names(first, count);
    }

    /** Whether an address, which is one, has a scope. */
    static boolean hasScope(final String address) {
        return address.indexOf(SCOPE) >= 0;
    }

    /** Whether it is written as an address; whether it is one is still to be seen. */
    static boolean isAddress(final String node) {
        return node.indexOf(':') >= 0 || IPV4.matcher(node).matches();
    }

    private static NodeRange addresses(final String text, final int count) {
        final byte[] socket = socket(text).bytes();
        final byte[] ip = text.indexOf(':') >= 0 ? Arrays.copyOfRange(socket, 8, 24) : Arrays.copyOfRange(socket, 4, 8);
        final BigInteger first = new BigInteger(1, ip);
        if (count > 0 && first.add(BigInteger.valueOf(count - 1)).bitLength() > ip.length * Byte.SIZE) {
            throw bad("%d nodes from %s lead past the last address, %s", count, text,
                ip.length == 4 ? "255.255.255.255" : "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        }
        return new NodeRange(count, text, 0, ip.length, first, hasScope(text) ? scope(socket) : "");
    }

    /** As a number, also where the interface was named. */
    private static String scope(final byte[] socket) {
        return SCOPE
            + Integer.toUnsignedString(ByteBuffer.wrap(socket).order(ByteOrder.nativeOrder()).getInt(SCOPE_OFFSET));
    }

    /** An address as text, with its scope. */
    static InetAddress literal(final String text) {
        return socket(text).socketAddress().getAddress();
    }

    private static FabricAddress socket(final String text) {
        return FabricAddress.parse("fi_sockaddr://" + (text.indexOf(':') >= 0 ? "[" + text + "]" : text));
    }

    private static NodeRange names(final String first, final int count) {
        final Matcher parts = NUMBERED.matcher(first);
        if (parts.matches()) {
            final String digits = parts.group(2);
            return new NodeRange(count, parts.group(1), digits.length(), 0, new BigInteger(digits), "");
        }
        if (count > 1) {
            throw bad("%d nodes from '%s': a name needs a number at its end to be counted up", count, first);
        }
        return new NodeRange(count, first, 0, 0, null, "");
    }

    /**
     * How many nodes.
     *
     * @return 0 or more.
     */
    public int count() {
        return count;
    }

    /**
     * One node.
     *
     * @param index 0 to count - 1.
     * @return its address or name, as text.
     */
    public String node(final int index) {
        if (index < 0 || index >= count) {
            throw bad("node %d of %d is asked for", index, count);
        }
        if (first == null || bytes == 0 && index == 0) {
            return index == 0 && first != null ? prefix + padded(first) : prefix;
        }
        final BigInteger value = first.add(BigInteger.valueOf(index));
        return bytes == 0 ? prefix + padded(value) : text(value) + scope;
    }

    private String padded(final BigInteger value) {
        final String digits = value.toString();
        return "0".repeat(Math.max(0, width - digits.length())) + digits;
    }

    private String text(final BigInteger value) {
        final byte[] digits = value.toByteArray();
        final byte[] ip = new byte[bytes];
        final int length = Math.min(bytes, digits.length);
        System.arraycopy(digits, digits.length - length, ip, bytes - length, length);
        return text(ip);
    }

    private static String text(final byte[] ip) {
        if (ip.length == Gid.LENGTH) {
            return Gid.of(ip).toString();
        }
        return (ip[0] & 0xff) + "." + (ip[1] & 0xff) + "." + (ip[2] & 0xff) + "." + (ip[3] & 0xff);
    }

    private static FabricException bad(final String format, final Object... values) {
        return NameFailures.of(COUNT, FiErrno.FI_EINVAL,
            "nodes are such as 10.1.1.1, fe80::1%2 or host09", format, values);
    }
}
