/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv.lib;

import com.sun.jna.Native;

/** Functions that every version of the library has, bound by JNA's direct mapping. */
@SuppressWarnings("checkstyle:MethodName") // JNA looks for the C function of this name.
final class Exports {
    Exports() {
        Native.register(Exports.class, VerbsLibrary.library());
    }

    native long ibv_get_device_list(long count);

    native void ibv_free_device_list(long list);

    native long ibv_open_device(long device);

    native int ibv_close_device(long context);

    native int ibv_query_device(long context, long attr);

    native int ibv_query_port(long context, byte port, long attr);

    native int ibv_query_gid(long context, byte port, int index, long gid);

    native int ibv_query_pkey(long context, byte port, int index, long pkey);

    native long ibv_alloc_pd(long context);

    native int ibv_dealloc_pd(long pd);

    native long ibv_reg_mr(long pd, long address, long length, int access);

    native int ibv_dereg_mr(long mr);

    native long ibv_create_comp_channel(long context);

    native int ibv_destroy_comp_channel(long channel);

    native int ibv_get_cq_event(long channel, long cq, long cookie);

    native void ibv_ack_cq_events(long cq, int count);

    native long ibv_create_cq(long context, int cqe, long cookie, long channel, int vector);

    native int ibv_resize_cq(long cq, int cqe);

    native int ibv_destroy_cq(long cq);

    native long ibv_create_qp(long pd, long attr);

    native int ibv_modify_qp(long qp, long attr, int mask);

    native int ibv_query_qp(long qp, long attr, int mask, long initAttr);

    native int ibv_destroy_qp(long qp);

    native long ibv_create_srq(long pd, long attr);

    native int ibv_modify_srq(long srq, long attr, int mask);

    native int ibv_query_srq(long srq, long attr);

    native int ibv_destroy_srq(long srq);

    native long ibv_create_ah(long pd, long attr);

    native int ibv_destroy_ah(long ah);

    native int ibv_get_async_event(long context, long event);

    native void ibv_ack_async_event(long event);
}
