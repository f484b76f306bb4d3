/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Set;

/**
 * What endpoints receive, and how (fi_rx_attr).
 *
 * @param capabilities    what reaches them.
 * @param messageOrder    what is carried out in the order in which it was posted; see {@link TransmitAttributes}.
 * @param completionOrder in which order completions are reported.
 * @param size            most receives under way.
 * @param iovLimit        most buffers of one receive.
 * @param contexts        most receive contexts of one endpoint (rx_ctx_cnt); 1 where there are no more.
 */
public record ReceiveAttributes(
    Set<Capability> capabilities, Set<MessageOrder> messageOrder, CompletionOrder completionOrder, int size,
    int iovLimit, int contexts) {
    /**
     * Keeps sets that nobody changes.
     *
     * @param capabilities    copied.
     * @param messageOrder    copied.
     * @param completionOrder as told.
     * @param size            as told.
     * @param iovLimit        as told.
     * @param contexts        as told.
     * @throws FabricException FI_EINVAL for null, and for null in a set.
     */
    public ReceiveAttributes {
        capabilities = Set.copyOf(Arguments.allNotNull("describe endpoints", "capabilities", capabilities));
        messageOrder = Set.copyOf(Arguments.allNotNull("describe endpoints", "messageOrder", messageOrder));
        Arguments.notNull("describe endpoints", "completionOrder", completionOrder);
    }
}
