/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Path MTU codes, {@code enum pvrdma_mtu}: 128 shifted left by the code.
 */
public final class Mtu {
    /** 256 bytes. */
    public static final int PVRDMA_MTU_256 = 1;
    /** 512 bytes. */
    public static final int PVRDMA_MTU_512 = 2;
    /** 1024 bytes. */
    public static final int PVRDMA_MTU_1024 = 3;
    /** 2048 bytes. */
    public static final int PVRDMA_MTU_2048 = 4;
    /** 4096 bytes. */
    public static final int PVRDMA_MTU_4096 = 5;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_MTU_256 -> "256";
        case PVRDMA_MTU_512 -> "512";
        case PVRDMA_MTU_1024 -> "1024";
        case PVRDMA_MTU_2048 -> "2048";
        case PVRDMA_MTU_4096 -> "4096";
        default -> null;
    };

    private Mtu() {
    }

    /**
     * Turns a code into bytes.
     *
     * @param mtu the code
     * @return 256, 512, 1024, 2048 or 4096
     * @throws IllegalArgumentException if there is no such code
     */
    public static int bytes(int mtu) {
        if (mtu < PVRDMA_MTU_256 || mtu > PVRDMA_MTU_4096) {
            throw new IllegalArgumentException("mtu code " + mtu + ": allowed are 1..5");
        }
        return 128 << mtu;
    }

    /**
     * Turns bytes into a code.
     *
     * @param bytes 256, 512, 1024, 2048 or 4096
     * @return the code
     * @throws IllegalArgumentException if no MTU has this size
     */
    public static int of(int bytes) {
        if (bytes < 256 || bytes > 4096 || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("mtu of " + bytes + " bytes: allowed are 256, 512, 1024, 2048, 4096");
        }
        return Integer.numberOfTrailingZeros(bytes) - 7;
    }
}
