/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Words;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A work request in a send queue, {@code struct pvrdma_sq_wqe_hdr}: {@value #HEADER_LENGTH} bytes, of which 48 depend
 * on the opcode, and {@link Sge}s behind them.
 *
 * <pre>
 *         0               4               8               12              16
 *        +-------------------------------+---------------+---------------+
 *     0  |             wr_id             |    num_sge    |   total_len   |
 *        +---------------+---------------+---------------+---------------+
 *    16  |    opcode     |  send_flags   | imm_data/rkey |       0       |
 *        +---------------+---------------+---------------+---------------+
 *    32  | union wr                                                      |
 *        |   rdma      32 remote_addr, 40 rkey                           |
 *        |   atomic    32 remote_addr, 40 compare_add, 48 swap, 56 rkey  |
 *        |   fast_reg  32 iova_start, 40 pl_pdir_dma, 48 page_shift,     |
 *        |             52 page_list_len, 56 length, 60 access_flags,     |
 *        |             64 rkey                                           |
 *        |   masked    32 remote_addr, 40 log_arg_sz, 44 rkey,           |
 *        |     cas     48 swap, 56 compare, 64 swap_mask, 72 cmp_mask    |
 *        |     faa     48 add, 56 field_boundary                         |
 *        |   bind      32 addr, 40 length, 48 mw_rkey, 52 new_rkey,     |
 *        |             56 mr_lkey, 60 access_flags                       |
 *        |   ud        32 remote_qpn, 36 remote_qkey, 40 av (Av)         |
 *        +---------------------------------------------------------------+
 *    80  | sge[0]                                                        |
 *        +---------------------------------------------------------------+
 *    96  | sge[1] ...
 * </pre>
 *
 * <p>Strides: 0..3 entries 128 bytes, 4..11 256, 12..27 512.
 */
public final class SqWqe extends SqWqeBind {
    /** Offset of {@code wr_id}. */
    public static final int WR_ID_OFFSET = 0;
    /** Offset of {@code num_sge}. */
    public static final int NUM_SGE_OFFSET = WR_ID_OFFSET + 8;
    /** Offset of {@code total_len}. */
    public static final int TOTAL_LEN_OFFSET = NUM_SGE_OFFSET + 4;
    /** Offset of {@code opcode}. */
    public static final int OPCODE_OFFSET = TOTAL_LEN_OFFSET + 4;
    /** Offset of {@code send_flags}. */
    public static final int SEND_FLAGS_OFFSET = OPCODE_OFFSET + 4;
    /** Offset of {@code imm_data}. */
    public static final int IMM_DATA_OFFSET = SEND_FLAGS_OFFSET + 4;
    /** Offset of {@code invalidate_rkey}, which shares its place with {@code imm_data}. */
    public static final int INVALIDATE_RKEY_OFFSET = IMM_DATA_OFFSET;
    /** Offset of {@code wr.rdma.remote_addr}. */
    public static final int RDMA_REMOTE_ADDR_OFFSET = UNION_OFFSET;
    /** Offset of {@code wr.rdma.rkey}. */
    public static final int RDMA_RKEY_OFFSET = RDMA_REMOTE_ADDR_OFFSET + 8;
    /** Offset of {@code wr.ud.remote_qpn}. */
    public static final int UD_REMOTE_QPN_OFFSET = UNION_OFFSET;
    /** Offset of {@code wr.ud.remote_qkey}. */
    public static final int UD_REMOTE_QKEY_OFFSET = UD_REMOTE_QPN_OFFSET + 4;
    /** Offset of the {@link Av} of a datagram. */
    public static final int UD_AV_OFFSET = UD_REMOTE_QKEY_OFFSET + 4;
    /** Offset of {@code gid_index} in the {@link Av}: one device model reads it whatever the opcode. */
    public static final int GID_INDEX_OFFSET = UD_AV_OFFSET + Av.GID_INDEX_OFFSET;
    /** Bytes before the entries. */
    public static final int HEADER_LENGTH = UD_AV_OFFSET + Av.LENGTH;
    /** Offset of the first {@link Sge}. */
    public static final int SGE_OFFSET = HEADER_LENGTH;
    /** More entries than any device takes: a WQE with them still fits into a page. */
    public static final int MAX_SGE = (Pdir.PAGE_SIZE - HEADER_LENGTH) / Sge.LENGTH;

    /** What the header looks like, whatever the opcode. */
    public static final Layout LAYOUT = common()
        .bytes("wr", UNION_OFFSET, HEADER_LENGTH - UNION_OFFSET)
        .build();

    /** The header of writes and reads. */
    public static final Layout RDMA_LAYOUT = common()
        .u64("wr.rdma.remote_addr", RDMA_REMOTE_ADDR_OFFSET)
        .u32("wr.rdma.rkey", RDMA_RKEY_OFFSET)
        .reserved(36)
        .build();

    /** The header of compare and swap, and of fetch and add. */
    public static final Layout ATOMIC_LAYOUT = common()
        .u64("wr.atomic.remote_addr", ATOMIC_REMOTE_ADDR_OFFSET)
        .u64("wr.atomic.compare_add", ATOMIC_COMPARE_ADD_OFFSET)
        .u64("wr.atomic.swap", ATOMIC_SWAP_OFFSET)
        .u32("wr.atomic.rkey", ATOMIC_RKEY_OFFSET)
        .reserved(20)
        .build();

    /** The header of a fast registration. */
    public static final Layout FAST_REG_LAYOUT = common()
        .u64("wr.fast_reg.iova_start", FAST_REG_IOVA_START_OFFSET)
        .u64("wr.fast_reg.pl_pdir_dma", FAST_REG_PL_PDIR_DMA_OFFSET)
        .u32("wr.fast_reg.page_shift", FAST_REG_PAGE_SHIFT_OFFSET)
        .u32("wr.fast_reg.page_list_len", FAST_REG_PAGE_LIST_LEN_OFFSET)
        .u32("wr.fast_reg.length", FAST_REG_LENGTH_OFFSET)
        .u32("wr.fast_reg.access_flags", FAST_REG_ACCESS_OFFSET, AccessFlags.NAMES)
        .u32("wr.fast_reg.rkey", FAST_REG_RKEY_OFFSET)
        .reserved(12)
        .build();

    /** The header of a masked compare and swap. */
    public static final Layout MASKED_CAS_LAYOUT = common()
        .u64("wr.masked_atomics.remote_addr", MASKED_CAS_REMOTE_ADDR_OFFSET)
        .u32("wr.masked_atomics.log_arg_sz", MASKED_CAS_LOG_ARG_SZ_OFFSET)
        .u32("wr.masked_atomics.rkey", MASKED_CAS_RKEY_OFFSET)
        .u64("wr.masked_atomics.swap_val", MASKED_CAS_SWAP_OFFSET)
        .u64("wr.masked_atomics.compare_val", MASKED_CAS_COMPARE_OFFSET)
        .u64("wr.masked_atomics.swap_mask", MASKED_CAS_SWAP_MASK_OFFSET)
        .u64("wr.masked_atomics.compare_mask", MASKED_CAS_CMP_MASK_OFFSET)
        .build();

    /** The header of a masked fetch and add. */
    public static final Layout MASKED_FAA_LAYOUT = common()
        .u64("wr.masked_atomics.remote_addr", MASKED_FAA_REMOTE_ADDR_OFFSET)
        .u32("wr.masked_atomics.log_arg_sz", MASKED_FAA_LOG_ARG_SZ_OFFSET)
        .u32("wr.masked_atomics.rkey", MASKED_FAA_RKEY_OFFSET)
        .u64("wr.masked_atomics.add_val", MASKED_FAA_ADD_OFFSET)
        .u64("wr.masked_atomics.field_boundary", MASKED_FAA_FIELD_BOUNDARY_OFFSET)
        .reserved(16)
        .build();

    /** The header of a bind of a memory window. */
    public static final Layout BIND_LAYOUT = common()
        .u64("wr.bind.addr", BIND_ADDR_OFFSET)
        .u64("wr.bind.length", BIND_LENGTH_OFFSET)
        .u32("wr.bind.mw_rkey", BIND_MW_RKEY_OFFSET)
        .u32("wr.bind.new_rkey", BIND_NEW_RKEY_OFFSET)
        .u32("wr.bind.mr_lkey", BIND_MR_LKEY_OFFSET)
        .u32("wr.bind.access_flags", BIND_ACCESS_OFFSET, AccessFlags.NAMES)
        .reserved(16)
        .build();

    /** The header of a datagram. */
    public static final Layout UD_LAYOUT = common()
        .u32("wr.ud.remote_qpn", UD_REMOTE_QPN_OFFSET)
        .u32("wr.ud.remote_qkey", UD_REMOTE_QKEY_OFFSET)
        .nested("wr.ud.av", UD_AV_OFFSET, Av.LAYOUT)
        .build();

    private SqWqe() {
    }

    private static Layout.Builder common() {
        return Layout.of("pvrdma_sq_wqe_hdr", HEADER_LENGTH)
            .u64("wr_id", WR_ID_OFFSET)
            .u32("num_sge", NUM_SGE_OFFSET)
            .u32("total_len", TOTAL_LEN_OFFSET)
            .u32("opcode", OPCODE_OFFSET, WrOpcode.NAMES)
            .u32("send_flags", SEND_FLAGS_OFFSET, SendFlags.NAMES)
            .u32("imm_data", IMM_DATA_OFFSET)
            .reserved(4);
    }

    /**
     * Chooses the layout by which to print a WQE.
     *
     * @param opcode   its {@link WrOpcode}
     * @param datagram whether it is in the queue of a datagram QP
     * @return one of the layouts of this class
     */
    public static Layout layoutOf(int opcode, boolean datagram) {
        if (datagram) {
            return UD_LAYOUT;
        }
        return switch (opcode) {
            case WrOpcode.PVRDMA_WR_RDMA_WRITE, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM,
                WrOpcode.PVRDMA_WR_RDMA_READ, WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV -> RDMA_LAYOUT;
            case WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP, WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD -> ATOMIC_LAYOUT;
            case WrOpcode.PVRDMA_WR_FAST_REG_MR -> FAST_REG_LAYOUT;
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP -> MASKED_CAS_LAYOUT;
            case WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD -> MASKED_FAA_LAYOUT;
            case WrOpcode.PVRDMA_WR_BIND_MW -> BIND_LAYOUT;
            default -> LAYOUT;
        };
    }

    /**
     * {@return the bytes from one WQE to the next: header and entries, rounded up to a power of two}
     *
     * @param maxSge most entries of a WQE, as given to CREATE_QP or CREATE_SRQ; the device derives the same from it
     * @throws IllegalArgumentException if no queue can have so many
     */
    public static int stride(int maxSge) {
        if (maxSge < 0 || maxSge > MAX_SGE) {
            throw new IllegalArgumentException("max_sge " + maxSge + ": allowed are 0.." + MAX_SGE);
        }
        return RingGeometry.powerOfTwo(HEADER_LENGTH + maxSge * Sge.LENGTH);
    }

    /**
     * {@return where an entry begins}
     *
     * @param base where the WQE begins
     * @param i    number of the entry, from 0
     */
    public static int sgeOffset(int base, int i) {
        return base + SGE_OFFSET + i * Sge.LENGTH;
    }

    /**
     * Sets the header to zero, which is where every new WQE begins: what the last user of the slot left in it would
     * otherwise be taken for the new request's.
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static void clearHeader(UnsafeBuffer b, int base) {
        for (int at = base; at < base + HEADER_LENGTH; at += Long.BYTES) {
            b.putLong(at, 0L);
        }
    }

    /**
     * Writes all that comes before the part that depends on the opcode; {@code total_len}, {@code imm_data} and what is
     * reserved become zero.
     *
     * @param b         buffer
     * @param base      where the WQE begins
     * @param wrId      number of the request
     * @param numSge    entries that follow
     * @param opcode    the {@link WrOpcode}
     * @param sendFlags the {@link SendFlags}
     */
    public static void header(UnsafeBuffer b, int base, long wrId, int numSge, int opcode, int sendFlags) {
        Words.check(b, base, UNION_OFFSET);
        final byte[] array = b.byteArray();
        final long wqe = b.addressOffset() + base;
        Words.put(array, wqe + WR_ID_OFFSET, wrId);
        Words.put(array, wqe + NUM_SGE_OFFSET, Words.pair(numSge, 0));
        Words.put(array, wqe + OPCODE_OFFSET, Words.pair(opcode, sendFlags));
        Words.put(array, wqe + IMM_DATA_OFFSET, 0);
    }

    /**
     * Writes {@code wr.rdma}, of writes and reads, and zeroes the four bytes behind it.
     *
     * @param b          buffer
     * @param base       where the WQE begins
     * @param remoteAddr the peer's address
     * @param rkey       the peer's key
     */
    public static void rdma(UnsafeBuffer b, int base, long remoteAddr, int rkey) {
        Words.check(b, base + UNION_OFFSET, RDMA_RKEY_OFFSET + Long.BYTES - UNION_OFFSET);
        final byte[] array = b.byteArray();
        final long wqe = b.addressOffset() + base;
        Words.put(array, wqe + RDMA_REMOTE_ADDR_OFFSET, remoteAddr);
        Words.put(array, wqe + RDMA_RKEY_OFFSET, Words.pair(rkey, 0));
    }

    /**
     * {@return where the address vector of a datagram begins}
     *
     * @param base where the WQE begins
     */
    public static int udAvOffset(int base) {
        return base + UD_AV_OFFSET;
    }

    /**
     * {@return the number that the application gave to the request}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long wrId(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, WR_ID_OFFSET);
    }

    /**
     * Sets {@code wr_id}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the number that the application gave to the request
     */
    public static void wrId(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, WR_ID_OFFSET, value);
    }

    /**
     * {@return how many entries follow}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int numSge(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, NUM_SGE_OFFSET);
    }

    /**
     * Sets {@code num_sge}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value how many entries follow
     */
    public static void numSge(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, NUM_SGE_OFFSET, value);
    }

    /**
     * {@return a length that nobody reads}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int totalLen(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, TOTAL_LEN_OFFSET);
    }

    /**
     * Sets {@code total_len}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value a length that nobody reads
     */
    public static void totalLen(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, TOTAL_LEN_OFFSET, value);
    }

    /**
     * {@return the {@link WrOpcode}}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int opcode(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, OPCODE_OFFSET);
    }

    /**
     * Sets {@code opcode}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the {@link WrOpcode}
     */
    public static void opcode(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, OPCODE_OFFSET, value);
    }

    /**
     * {@return the {@link SendFlags}}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int sendFlags(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, SEND_FLAGS_OFFSET);
    }

    /**
     * Sets {@code send_flags}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the {@link SendFlags}
     */
    public static void sendFlags(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, SEND_FLAGS_OFFSET, value);
    }

    /**
     * {@return the immediate data, its four bytes as they will travel: network order}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int immData(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, IMM_DATA_OFFSET);
    }

    /**
     * Sets {@code imm_data}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the immediate data, its four bytes as they will travel: network order
     */
    public static void immData(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, IMM_DATA_OFFSET, value);
    }

    /**
     * {@return the key to invalidate}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int invalidateRkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, INVALIDATE_RKEY_OFFSET);
    }

    /**
     * Sets {@code invalidate_rkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the key to invalidate
     */
    public static void invalidateRkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, INVALIDATE_RKEY_OFFSET, value);
    }

    /**
     * {@return the peer's address}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static long rdmaRemoteAddr(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, RDMA_REMOTE_ADDR_OFFSET);
    }

    /**
     * Sets {@code wr.rdma.remote_addr}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the peer's address
     */
    public static void rdmaRemoteAddr(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, RDMA_REMOTE_ADDR_OFFSET, value);
    }

    /**
     * {@return the peer's key}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int rdmaRkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, RDMA_RKEY_OFFSET);
    }

    /**
     * Sets {@code wr.rdma.rkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the peer's key
     */
    public static void rdmaRkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, RDMA_RKEY_OFFSET, value);
    }

    /**
     * {@return the number of the peer's QP}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int udRemoteQpn(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, UD_REMOTE_QPN_OFFSET);
    }

    /**
     * Sets {@code wr.ud.remote_qpn}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the number of the peer's QP
     */
    public static void udRemoteQpn(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, UD_REMOTE_QPN_OFFSET, value);
    }

    /**
     * {@return its Q_Key}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int udRemoteQkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, UD_REMOTE_QKEY_OFFSET);
    }

    /**
     * Sets {@code wr.ud.remote_qkey}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value its Q_Key
     */
    public static void udRemoteQkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, UD_REMOTE_QKEY_OFFSET, value);
    }

    /**
     * {@return the index of the source GID}
     *
     * @param b    buffer
     * @param base where the WQE begins
     */
    public static int gidIndex(UnsafeBuffer b, int base) {
        return b.getByte(base + GID_INDEX_OFFSET) & 0xff;
    }

    /**
     * Sets {@code gid_index}.
     *
     * @param b     buffer
     * @param base  where the WQE begins
     * @param value the index of the source GID
     */
    public static void gidIndex(UnsafeBuffer b, int base, int value) {
        b.putByte(base + GID_INDEX_OFFSET, (byte) value);
    }
}
