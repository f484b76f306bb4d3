/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv.lib;

import io.rdma4j.RdmaException;

/**
 * Posting and polling: calls through a {@link CallTable}. They allocate nothing. An answer is what the C function
 * returns. Thread-safe as the library is: the object named by an argument must not be destroyed meanwhile.
 */
public interface DataCalls {
    /**
     * {@code ibv_post_send}.
     *
     * @param qp    a QP.
     * @param wr    the first {@code ibv_send_wr} of a list.
     * @param badWr where to store the address of the one that was refused.
     * @return 0 or an errno.
     */
    int postSend(long qp, long wr, long badWr);

    /**
     * {@code ibv_post_recv}.
     *
     * @param qp    a QP.
     * @param wr    the first {@code ibv_recv_wr} of a list.
     * @param badWr where to store the address of the one that was refused.
     * @return 0 or an errno.
     */
    int postRecv(long qp, long wr, long badWr);

    /**
     * {@code ibv_post_srq_recv}.
     *
     * @param srq   a shared receive queue.
     * @param wr    the first {@code ibv_recv_wr} of a list.
     * @param badWr where to store the address of the one that was refused.
     * @return 0 or an errno.
     */
    int postSrqRecv(long srq, long wr, long badWr);

    /**
     * {@code ibv_poll_cq}.
     *
     * @param cq    a CQ.
     * @param count room for so many completions.
     * @param wc    an array of {@code ibv_wc}.
     * @return how many were stored, or a negative number.
     */
    int pollCq(long cq, int count, long wc);

    /**
     * {@code ibv_req_notify_cq}.
     *
     * @param cq            a CQ.
     * @param solicitedOnly 0 or 1.
     * @return 0 or an errno.
     */
    int reqNotifyCq(long cq, int solicitedOnly);

    /**
     * The fastest way that this JVM has: {@code java.lang.foreign} from JDK 22 on, JNA's direct mapping before. The
     * system property {@code rdma4j.ibv.calls} chooses otherwise: {@code jna}, {@code ffm}, or {@code critical}, which
     * is {@code java.lang.foreign} with calls that garbage collection waits for.
     *
     * @param table of a context.
     * @param quick whether its functions that post and poll never wait for anything and make no system call: then
     *              {@code critical} is what is chosen in place of {@code ffm}.
     * @return calls through it.
     * @throws RdmaException EINVAL if the property names no such way, EOPNOTSUPP if this JVM does not have it.
     */
    static DataCalls of(final CallTable table, final boolean quick) {
        final String fastest = FfmDataCalls.isAvailable() ? quick ? "critical" : "ffm" : "jna";
        final String way = System.getProperty("rdma4j.ibv.calls", fastest);
        return switch (way) {
            case "jna" -> JnaDataCalls.of(table);
            case "ffm" -> new FfmDataCalls(table, false);
            case "critical" -> new FfmDataCalls(table, true);
            default -> throw RdmaException.of("open device").object("-Drdma4j.ibv.calls=" + way)
                .detail("there is no such way to call the library").errno(RdmaException.EINVAL)
                .hint("give jna, ffm or critical, or leave it out").build();
        };
    }
}
