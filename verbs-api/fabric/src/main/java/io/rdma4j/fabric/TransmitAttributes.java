/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Set;

/**
 * What endpoints transmit, and how (fi_tx_attr).
 *
 * @param capabilities    what they start.
 * @param messageOrder    what is carried out in the order in which it was posted. Messages and RMA travel apart: no bit
 *                        orders a send with a read or a write.
 * @param completionOrder in which order completions are reported.
 * @param injectSize      bytes that are taken before the call returns (inject_size).
 * @param size            most operations under way.
 * @param iovLimit        most buffers of one operation.
 * @param rmaIovLimit     most remote buffers of one operation.
 */
public record TransmitAttributes(
    Set<Capability> capabilities, Set<MessageOrder> messageOrder, CompletionOrder completionOrder, int injectSize,
    int size, int iovLimit, int rmaIovLimit) {
    /**
     * Keeps sets that nobody changes.
     *
     * @param capabilities    copied.
     * @param messageOrder    copied.
     * @param completionOrder as told.
     * @param injectSize      as told.
     * @param size            as told.
     * @param iovLimit        as told.
     * @param rmaIovLimit     as told.
     * @throws FabricException FI_EINVAL for null, and for null in a set.
     */
    public TransmitAttributes {
        capabilities = Set.copyOf(Arguments.allNotNull("describe endpoints", "capabilities", capabilities));
        messageOrder = Set.copyOf(Arguments.allNotNull("describe endpoints", "messageOrder", messageOrder));
        Arguments.notNull("describe endpoints", "completionOrder", completionOrder);
    }
}
