/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Values of fi_addr_t: what an {@link AddressVector} calls an address (rdma/fabric.h). Unsigned. */
public final class FiAddr {
    /** Any peer, or none (FI_ADDR_UNSPEC). */
    public static final long UNSPEC = -1;
    /** There is no such address (FI_ADDR_NOTAVAIL); the same number in libfabric. */
    public static final long NOTAVAIL = -1;
    /** Most bits that a receive context can have. */
    public static final int MAX_RX_CTX_BITS = 16;

    private FiAddr() {
    }

    /**
     * Names one receive context of a peer (fi_rx_addr; checklist 88): the index in the upper bits. With 0 bits there
     * is one context, and the address stays as it is; libfabric's macro would shift by 64 there, which C leaves open.
     *
     * @param fiAddr    of the peer; {@link #NOTAVAIL} stands for 0, as connected endpoints have no addresses.
     * @param rxIndex   which context, 0 or more.
     * @param rxCtxBits as the vector was opened with.
     * @return the address of the context.
     * @throws FabricException FI_EINVAL for bits outside 0 to {@link #MAX_RX_CTX_BITS}, an index that they cannot
     *                         hold, or an address that needs them.
     */
    public static long rxAddr(final long fiAddr, final int rxIndex, final int rxCtxBits) {
        final long peer = fiAddr == NOTAVAIL ? 0 : fiAddr;
        if (rxCtxBits < 0 || rxCtxBits > MAX_RX_CTX_BITS) {
            throw invalid("rx_ctx_bits is %d, allowed are 0 to %d", rxCtxBits, MAX_RX_CTX_BITS);
        }
        if (rxIndex < 0 || rxIndex >= 1 << rxCtxBits) {
            throw invalid("rx_index is %d, %d bits hold 0 to %d", rxIndex, rxCtxBits, (1 << rxCtxBits) - 1);
        }
        if (rxCtxBits == 0) {
            return peer;
        }
        final int shift = Long.SIZE - rxCtxBits;
        if (peer >>> shift != 0) {
            throw invalid("address 0x%x uses the upper %d bits, which are the context's", peer, rxCtxBits);
        }
        return (long) rxIndex << shift | peer;
    }

    /**
     * Takes the index of the context out of an address.
     *
     * @param fiAddr    an address, not {@link #UNSPEC}.
     * @param rxCtxBits as the vector was opened with; 0 to {@link #MAX_RX_CTX_BITS}, not checked.
     * @return the index.
     */
    public static int rxIndex(final long fiAddr, final int rxCtxBits) {
        return rxCtxBits == 0 ? 0 : (int) (fiAddr >>> Long.SIZE - rxCtxBits);
    }

    /**
     * Takes the peer out of an address.
     *
     * @param fiAddr    an address, not {@link #UNSPEC}.
     * @param rxCtxBits as the vector was opened with; 0 to {@link #MAX_RX_CTX_BITS}, not checked.
     * @return the address without the context.
     */
    public static long peer(final long fiAddr, final int rxCtxBits) {
        return rxCtxBits == 0 ? fiAddr : fiAddr & -1L >>> rxCtxBits;
    }

    private static FabricException invalid(final String format, final Object... values) {
        return FabricException.of("name receive context").detail(format, values).errno(FiErrno.FI_EINVAL).build();
    }
}
