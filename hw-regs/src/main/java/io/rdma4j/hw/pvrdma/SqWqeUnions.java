/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Words;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The parts of {@link SqWqe} for atomics and for fast registration, apart from the others only because together they
 * would be too long.
 */
abstract class SqWqeUnions {
    /** Where the part begins that depends on the opcode. */
    public static final int UNION_OFFSET = 32;
    /** Offset of {@code wr.atomic.remote_addr}. */
    public static final int ATOMIC_REMOTE_ADDR_OFFSET = UNION_OFFSET;
    /** Offset of {@code wr.atomic.compare_add}. */
    public static final int ATOMIC_COMPARE_ADD_OFFSET = ATOMIC_REMOTE_ADDR_OFFSET + 8;
    /** Offset of {@code wr.atomic.swap}. */
    public static final int ATOMIC_SWAP_OFFSET = ATOMIC_COMPARE_ADD_OFFSET + 8;
    /** Offset of {@code wr.atomic.rkey}. */
    public static final int ATOMIC_RKEY_OFFSET = ATOMIC_SWAP_OFFSET + 8;
    /** Offset of {@code wr.fast_reg.iova_start}. */
    public static final int FAST_REG_IOVA_START_OFFSET = UNION_OFFSET;
    /** Offset of {@code wr.fast_reg.pl_pdir_dma}. */
    public static final int FAST_REG_PL_PDIR_DMA_OFFSET = FAST_REG_IOVA_START_OFFSET + 8;
    /** Offset of {@code wr.fast_reg.page_shift}. */
    public static final int FAST_REG_PAGE_SHIFT_OFFSET = FAST_REG_PL_PDIR_DMA_OFFSET + 8;
    /** Offset of {@code wr.fast_reg.page_list_len}. */
    public static final int FAST_REG_PAGE_LIST_LEN_OFFSET = FAST_REG_PAGE_SHIFT_OFFSET + 4;
    /** Offset of {@code wr.fast_reg.length}. */
    public static final int FAST_REG_LENGTH_OFFSET = FAST_REG_PAGE_LIST_LEN_OFFSET + 4;
    /** Offset of {@code wr.fast_reg.access_flags}. */
    public static final int FAST_REG_ACCESS_OFFSET = FAST_REG_LENGTH_OFFSET + 4;
    /** Offset of {@code wr.fast_reg.rkey}. */
    public static final int FAST_REG_RKEY_OFFSET = FAST_REG_ACCESS_OFFSET + 4;
    /** Offset of {@code wr.masked_atomics.remote_addr}. */
    public static final int MASKED_CAS_REMOTE_ADDR_OFFSET = UNION_OFFSET;
    /** Offset of {@code wr.masked_atomics.log_arg_sz}. */
    public static final int MASKED_CAS_LOG_ARG_SZ_OFFSET = MASKED_CAS_REMOTE_ADDR_OFFSET + 8;
    /** Offset of {@code wr.masked_atomics.rkey}. */
    public static final int MASKED_CAS_RKEY_OFFSET = MASKED_CAS_LOG_ARG_SZ_OFFSET + 4;
    /** Offset of {@code wr.masked_atomics.swap_val}. */
    public static final int MASKED_CAS_SWAP_OFFSET = MASKED_CAS_RKEY_OFFSET + 4;
    /** Offset of {@code wr.masked_atomics.compare_val}. */
    public static final int MASKED_CAS_COMPARE_OFFSET = MASKED_CAS_SWAP_OFFSET + 8;
    /** Offset of {@code wr.masked_atomics.swap_mask}. */
    public static final int MASKED_CAS_SWAP_MASK_OFFSET = MASKED_CAS_COMPARE_OFFSET + 8;
    /** Offset of {@code wr.masked_atomics.compare_mask}. */
    public static final int MASKED_CAS_CMP_MASK_OFFSET = MASKED_CAS_SWAP_MASK_OFFSET + 8;
    /** Offset of {@code wr.masked_atomics.remote_addr}. */
    public static final int MASKED_FAA_REMOTE_ADDR_OFFSET = UNION_OFFSET;
    /** Offset of {@code wr.masked_atomics.log_arg_sz}. */
    public static final int MASKED_FAA_LOG_ARG_SZ_OFFSET = MASKED_FAA_REMOTE_ADDR_OFFSET + 8;
    /** Offset of {@code wr.masked_atomics.rkey}. */
    public static final int MASKED_FAA_RKEY_OFFSET = MASKED_FAA_LOG_ARG_SZ_OFFSET + 4;
    /** Offset of {@code wr.masked_atomics.add_val}. */
    public static final int MASKED_FAA_ADD_OFFSET = MASKED_FAA_RKEY_OFFSET + 4;
    /** Offset of {@code wr.masked_atomics.field_boundary}. */
    public static final int MASKED_FAA_FIELD_BOUNDARY_OFFSET = MASKED_FAA_ADD_OFFSET + 8;

    SqWqeUnions() {
    }

    /**
     * {@return the peer's address}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long atomicRemoteAddr(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, ATOMIC_REMOTE_ADDR_OFFSET);
    }

    /**
     * Sets {@code wr.atomic.remote_addr}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the peer's address
     */
    public static void atomicRemoteAddr(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, ATOMIC_REMOTE_ADDR_OFFSET, value);
    }

    /**
     * {@return the value to compare with, or to add}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long atomicCompareAdd(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, ATOMIC_COMPARE_ADD_OFFSET);
    }

    /**
     * Sets {@code wr.atomic.compare_add}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the value to compare with, or to add
     */
    public static void atomicCompareAdd(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, ATOMIC_COMPARE_ADD_OFFSET, value);
    }

    /**
     * {@return the value to store}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long atomicSwap(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, ATOMIC_SWAP_OFFSET);
    }

    /**
     * Sets {@code wr.atomic.swap}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the value to store
     */
    public static void atomicSwap(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, ATOMIC_SWAP_OFFSET, value);
    }

    /**
     * {@return the peer's key}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int atomicRkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, ATOMIC_RKEY_OFFSET);
    }

    /**
     * Sets {@code wr.atomic.rkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the peer's key
     */
    public static void atomicRkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, ATOMIC_RKEY_OFFSET, value);
    }

    /**
     * {@return the address that the region begins with}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long fastRegIovaStart(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, FAST_REG_IOVA_START_OFFSET);
    }

    /**
     * Sets {@code wr.fast_reg.iova_start}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the address that the region begins with
     */
    public static void fastRegIovaStart(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, FAST_REG_IOVA_START_OFFSET, value);
    }

    /**
     * {@return the bus address of the page directory}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long fastRegPlPdirDma(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, FAST_REG_PL_PDIR_DMA_OFFSET);
    }

    /**
     * Sets {@code wr.fast_reg.pl_pdir_dma}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the bus address of the page directory
     */
    public static void fastRegPlPdirDma(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, FAST_REG_PL_PDIR_DMA_OFFSET, value);
    }

    /**
     * {@return log2 of the page size: 12}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int fastRegPageShift(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, FAST_REG_PAGE_SHIFT_OFFSET);
    }

    /**
     * Sets {@code wr.fast_reg.page_shift}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value log2 of the page size: 12
     */
    public static void fastRegPageShift(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, FAST_REG_PAGE_SHIFT_OFFSET, value);
    }

    /**
     * {@return the number of pages}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int fastRegPageListLen(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, FAST_REG_PAGE_LIST_LEN_OFFSET);
    }

    /**
     * Sets {@code wr.fast_reg.page_list_len}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the number of pages
     */
    public static void fastRegPageListLen(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, FAST_REG_PAGE_LIST_LEN_OFFSET, value);
    }

    /**
     * {@return the bytes of the region, unsigned}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int fastRegLength(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, FAST_REG_LENGTH_OFFSET);
    }

    /**
     * Sets {@code wr.fast_reg.length}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the bytes of the region, unsigned
     */
    public static void fastRegLength(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, FAST_REG_LENGTH_OFFSET, value);
    }

    /**
     * {@return the {@link AccessFlags}}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int fastRegAccess(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, FAST_REG_ACCESS_OFFSET);
    }

    /**
     * Sets {@code wr.fast_reg.access_flags}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the {@link AccessFlags}
     */
    public static void fastRegAccess(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, FAST_REG_ACCESS_OFFSET, value);
    }

    /**
     * {@return the key to register under}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int fastRegRkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, FAST_REG_RKEY_OFFSET);
    }

    /**
     * Sets {@code wr.fast_reg.rkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the key to register under
     */
    public static void fastRegRkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, FAST_REG_RKEY_OFFSET, value);
    }

    /**
     * {@return the peer's address}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long maskedCasRemoteAddr(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, MASKED_CAS_REMOTE_ADDR_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.remote_addr}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the peer's address
     */
    public static void maskedCasRemoteAddr(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, MASKED_CAS_REMOTE_ADDR_OFFSET, value);
    }

    /**
     * {@return log2 of the operand size}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int maskedCasLogArgSz(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, MASKED_CAS_LOG_ARG_SZ_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.log_arg_sz}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value log2 of the operand size
     */
    public static void maskedCasLogArgSz(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, MASKED_CAS_LOG_ARG_SZ_OFFSET, value);
    }

    /**
     * {@return the peer's key}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int maskedCasRkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, MASKED_CAS_RKEY_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.rkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the peer's key
     */
    public static void maskedCasRkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, MASKED_CAS_RKEY_OFFSET, value);
    }

    /**
     * {@return the value to store}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long maskedCasSwap(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, MASKED_CAS_SWAP_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.swap_val}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the value to store
     */
    public static void maskedCasSwap(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, MASKED_CAS_SWAP_OFFSET, value);
    }

    /**
     * {@return the value to compare with}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long maskedCasCompare(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, MASKED_CAS_COMPARE_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.compare_val}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the value to compare with
     */
    public static void maskedCasCompare(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, MASKED_CAS_COMPARE_OFFSET, value);
    }

    /**
     * {@return the bits to store}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long maskedCasSwapMask(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, MASKED_CAS_SWAP_MASK_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.swap_mask}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the bits to store
     */
    public static void maskedCasSwapMask(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, MASKED_CAS_SWAP_MASK_OFFSET, value);
    }

    /**
     * {@return the bits to compare}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long maskedCasCmpMask(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, MASKED_CAS_CMP_MASK_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.compare_mask}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the bits to compare
     */
    public static void maskedCasCmpMask(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, MASKED_CAS_CMP_MASK_OFFSET, value);
    }

    /**
     * {@return the peer's address}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long maskedFaaRemoteAddr(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, MASKED_FAA_REMOTE_ADDR_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.remote_addr}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the peer's address
     */
    public static void maskedFaaRemoteAddr(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, MASKED_FAA_REMOTE_ADDR_OFFSET, value);
    }

    /**
     * {@return log2 of the operand size}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int maskedFaaLogArgSz(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, MASKED_FAA_LOG_ARG_SZ_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.log_arg_sz}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value log2 of the operand size
     */
    public static void maskedFaaLogArgSz(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, MASKED_FAA_LOG_ARG_SZ_OFFSET, value);
    }

    /**
     * {@return the peer's key}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int maskedFaaRkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, MASKED_FAA_RKEY_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.rkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the peer's key
     */
    public static void maskedFaaRkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, MASKED_FAA_RKEY_OFFSET, value);
    }

    /**
     * {@return the value to add}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long maskedFaaAdd(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, MASKED_FAA_ADD_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.add_val}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the value to add
     */
    public static void maskedFaaAdd(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, MASKED_FAA_ADD_OFFSET, value);
    }

    /**
     * {@return the bits that carry no further}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long maskedFaaFieldBoundary(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, MASKED_FAA_FIELD_BOUNDARY_OFFSET);
    }

    /**
     * Sets {@code wr.masked_atomics.field_boundary}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the bits that carry no further
     */
    public static void maskedFaaFieldBoundary(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, MASKED_FAA_FIELD_BOUNDARY_OFFSET, value);
    }
}
