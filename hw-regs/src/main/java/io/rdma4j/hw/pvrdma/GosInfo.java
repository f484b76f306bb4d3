/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * The word in which a driver says what system it runs on, {@code struct pvrdma_gos_info}:
 *
 * <pre>
 *   31           22 21                6 5        2 1    0
 *  +---------------+-------------------+----------+------+
 *  |   gos_misc    |      gos_ver      | gos_type | bits |
 *  +---------------+-------------------+----------+------+
 * </pre>
 */
public final class GosInfo {
    /** Word size not told. */
    public static final int PVRDMA_GOS_BITS_UNK = 0;
    /** A 32-bit system. */
    public static final int PVRDMA_GOS_BITS_32 = 1;
    /** A 64-bit system. */
    public static final int PVRDMA_GOS_BITS_64 = 2;
    /** System not told. */
    public static final int PVRDMA_GOS_TYPE_UNK = 0;
    /** Linux. */
    public static final int PVRDMA_GOS_TYPE_LINUX = 1;
    /** What the driver of 64-bit Linux says. */
    public static final int LINUX_64 = pack(PVRDMA_GOS_BITS_64, PVRDMA_GOS_TYPE_LINUX, 1, 0);

    /** The four parts in words. */
    public static final Names NAMES = gosInfo -> "bits " + bits(gosInfo) + ", type " + type(gosInfo) + ", version "
        + version(gosInfo) + ", misc " + misc(gosInfo);

    private GosInfo() {
    }

    /**
     * {@return the word}
     *
     * @param bits    word size, 2 bits
     * @param type    system, 4 bits
     * @param version its version, 16 bits
     * @param misc    anything, 10 bits
     */
    public static int pack(int bits, int type, int version, int misc) {
        return bits & 0x3 | (type & 0xf) << 2 | (version & 0xffff) << 6 | misc << 22;
    }

    /**
     * {@return the word size}
     *
     * @param gosInfo the word
     */
    public static int bits(int gosInfo) {
        return gosInfo & 0x3;
    }

    /**
     * {@return the system}
     *
     * @param gosInfo the word
     */
    public static int type(int gosInfo) {
        return gosInfo >>> 2 & 0xf;
    }

    /**
     * {@return the version of the system}
     *
     * @param gosInfo the word
     */
    public static int version(int gosInfo) {
        return gosInfo >>> 6 & 0xffff;
    }

    /**
     * {@return the remaining bits}
     *
     * @param gosInfo the word
     */
    public static int misc(int gosInfo) {
        return gosInfo >>> 22;
    }
}
