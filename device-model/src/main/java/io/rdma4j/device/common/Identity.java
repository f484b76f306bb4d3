/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.regex.Pattern;

/**
 * Who a device is on the link: an EUI-64, from which everything else follows. Immutable.
 *
 * <pre>
 *   63          40 39   24 23           0
 *   +-------------+-------+-------------+
 *   | MAC 0 to 2  | ff:fe | MAC 3 to 5  |    the second bit of the MAC address' first byte is inverted
 *   +-------------+-------+-------------+    (RFC 4291, appendix A)
 * </pre>
 */
public final class Identity {
    private static final Pattern TEXT = Pattern.compile("(\\p{XDigit}{4}:){3}\\p{XDigit}{4}|(0x)?\\p{XDigit}{16}");
    /** Devices of other processes and hosts, which have the same names, are others. */
    private static final long PROCESS = new SecureRandom().nextLong();
    private static final long MAC_BITS = 0xffff_ff00_00ff_ffffL;
    private static final long MIDDLE = 0xff_fe00_0000L;
    private static final long MULTICAST = 1L << 56;
    private static final long LOCAL = 2L << 56;

    private final long guid;

    private Identity(long guid) {
        this.guid = guid;
    }

    /**
     * The identity of a device of this process: the same whenever it is asked for, another one in another process.
     *
     * @param name the device's name.
     * @return a locally administered one.
     */
    public static Identity of(String name) {
        long hash = PROCESS;
        for (byte octet : name.getBytes(StandardCharsets.UTF_8)) {
            hash = mix(hash ^ octet & 0xff);
        }
        // In the EUI-64 the bit is inverted.
        return new Identity(mix(hash) & MAC_BITS & ~MULTICAST & ~LOCAL | MIDDLE);
    }

    /**
     * An identity that was chosen, and that a device has in each process that asks for it.
     *
     * @param text {@code 0000:00ff:fe00:0001}, as tools print it, or 16 digits without colons.
     * @return the identity.
     * @throws IllegalArgumentException if it is no EUI-64 of the address of one device.
     */
    public static Identity parse(String text) {
        if (!TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException("'" + text + "' is not four groups of four hexadecimal digits");
        }
        final long guid = Long.parseUnsignedLong(text.replace(":", "").replace("0x", ""), 16);
        if ((guid & ~MAC_BITS) != MIDDLE || (guid & MULTICAST) != 0 || guid == MIDDLE) {
            throw new IllegalArgumentException(text + " is not made of a MAC address of one device: ff:fe belongs into "
                + "the middle, an even digit into the second place");
        }
        return new Identity(guid);
    }

    /** Mixes as the finalizer of MurmurHash3 does: its constants. */
    private static long mix(long value) {
        long x = (value ^ value >>> 33) * 0xff51_afd7_ed55_8ccdL;
        x = (x ^ x >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
        return x ^ x >>> 33;
    }

    /**
     * {@return a copy of the MAC address}
     */
    public byte[] mac() {
        final long bits = guid ^ LOCAL;
        return new byte[] {(byte) (bits >>> 56), (byte) (bits >>> 48), (byte) (bits >>> 40), (byte) (bits >>> 16),
            (byte) (bits >>> 8), (byte) bits};
    }

    /**
     * {@return the EUI-64: node_guid, and the lower half of the default GID}
     */
    public long guid() {
        return guid;
    }

    /**
     * {@return where numbers begin that are to differ from those of other devices}
     */
    public int salt() {
        return (int) mix(guid);
    }

    @Override
    public String toString() {
        final byte[] mac = mac();
        return String.format("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
    }
}
