/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Numbers;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a peer needs to know of a QP in order to connect or to send datagrams to it.
 *
 * @param gid  GID of the port.
 * @param qpn  QP number, 24 bits.
 * @param psn  first packet sequence number that the QP sends with, 24 bits.
 * @param qkey queue key (UD), 32 bits; 0 for RC.
 */
public record QpAddress(Gid gid, int qpn, int psn, int qkey) {
    private static final int MAX_24_BITS = 0xffffff;

    /**
     * Checks the ranges.
     *
     * @param gid  not null.
     * @param qpn  24 bits.
     * @param psn  24 bits.
     * @param qkey any.
     * @throws RdmaException EINVAL if a number has more than 24 bits.
     */
    public QpAddress {
        if (gid == null || (qpn & ~MAX_24_BITS) != 0 || (psn & ~MAX_24_BITS) != 0) {
            throw RdmaException.of("make QP address")
                .detail("gid %s, qpn 0x%x, psn 0x%x: a GID and two numbers of 24 bits are needed", gid, qpn, psn)
                .errno(RdmaException.EINVAL)
                .build();
        }
    }

    /**
     * Reads what {@link #toString()} writes.
     *
     * @param text {@code gid=fe80::1,qpn=0x11,psn=0x1234,qkey=0x0}, in any order.
     * @return the address.
     * @throws RdmaException EINVAL if a part is missing, unknown, doubled or not a number of the right size.
     */
    public static QpAddress parse(final String text) {
        final Map<String, String> parts = new LinkedHashMap<>();
        for (final String part : String.valueOf(text).trim().split(",")) {
            final int equals = part.indexOf('=');
            if (equals < 1 || parts.put(part.substring(0, equals).trim(), part.substring(equals + 1).trim()) != null) {
                throw malformed(text, "'" + part + "' is not name=value, or stands twice");
            }
        }
        final QpAddress address = new QpAddress(
            Gid.parse(required(parts, "gid", text)),
            number(parts, "qpn", MAX_24_BITS, text),
            number(parts, "psn", MAX_24_BITS, text),
            number(parts, "qkey", 0xffff_ffffL, text));
        if (!parts.isEmpty()) {
            throw malformed(text, "unknown " + parts.keySet());
        }
        return address;
    }

    private static String required(final Map<String, String> parts, final String name, final String text) {
        final String value = parts.remove(name);
        if (value == null) {
            throw malformed(text, name + " is missing");
        }
        return value;
    }

    private static int number(
        final Map<String, String> parts, final String name, final long max, final String text) {
        final String value = required(parts, name, text);
        final long number = Numbers.parse(value);
        if (number < 0 || number > max) {
            throw malformed(text, name + "=" + value + " is not a number from 0 to 0x" + Long.toHexString(max));
        }
        return (int) number;
    }

    private static RdmaException malformed(final String text, final String why) {
        return RdmaException.of("parse QP address")
            .detail("'%s': %s", text, why)
            .errno(RdmaException.EINVAL)
            .hint("write gid=fe80::1,qpn=0x11,psn=0x1234,qkey=0x0")
            .build();
    }

    /**
     * Text for people and for {@link #parse}.
     *
     * @return one line without blanks.
     */
    @Override
    public String toString() {
        return String.format("gid=%s,qpn=0x%06x,psn=0x%06x,qkey=0x%08x", gid, qpn, psn, qkey);
    }
}
