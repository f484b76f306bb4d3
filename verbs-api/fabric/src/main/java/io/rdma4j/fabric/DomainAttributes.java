/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * Limits and sizes of a domain (fi_domain_attr).
 *
 * @param mrKeySize  bytes that a raw key needs at most (mr_key_size); see {@link MemoryRegion#rawAttributes}.
 * @param mrIovLimit most buffers of one region (mr_iov_limit).
 * @param mrCount    regions that the domain has room for (mr_cnt); {@link Hints#mrCount} asks for more.
 * @param cqCount    most completion queues (cq_cnt).
 * @param epCount    most endpoints (ep_cnt).
 * @param cntrCount  most counters (cntr_cnt).
 * @param cqDataSize bytes of data that completions carry (cq_data_size).
 * @param maxErrData bytes of data that error completions carry (max_err_data).
 * @param maxEpSrxCtx most endpoints that share one receive context (max_ep_srx_ctx); 0 where they cannot.
 */
public record DomainAttributes(
    int mrKeySize, int mrIovLimit, int mrCount, int cqCount, int epCount, int cntrCount, int cqDataSize,
    int maxErrData, int maxEpSrxCtx) {
}
