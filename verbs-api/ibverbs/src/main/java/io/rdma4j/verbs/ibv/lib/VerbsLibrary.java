/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv.lib;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.rdma4j.RdmaException;

import java.util.stream.Collectors;

/**
 * The library of this process, loaded when it is first asked for. Its methods are the C functions; {@link #errno()}
 * tells why the last one of this thread failed, where the answer does not. Thread-safe as the library is.
 */
public final class VerbsLibrary {
    /** File of the library; the system property {@code rdma4j.ibv.library} names another. */
    static final String NAME = System.getProperty("rdma4j.ibv.library", "libibverbs.so.1");

    private static final String PACKAGES = "install libibverbs1 and ibverbs-providers (Debian, Ubuntu) or libibverbs "
        + "(Fedora, RHEL: of rdma-core)";

    private final Exports exports;

    private VerbsLibrary(final Exports exports) {
        this.exports = exports;
    }

    /**
     * Loads the library, unless it is loaded.
     *
     * @return the library.
     * @throws RdmaException EOPNOTSUPP without it, or if it lacks a function, with what to install.
     */
    public static VerbsLibrary load() {
        if (Holder.LIBRARY == null) {
            throw RdmaException.of("load " + NAME)
                .detail("%s", Holder.WHY_NOT)
                .errno(RdmaException.EOPNOTSUPP)
                .hint(PACKAGES)
                .build();
        }
        return Holder.LIBRARY;
    }

    /**
     * Whether it can be loaded.
     *
     * @return true if {@link #load()} succeeds.
     */
    public static boolean isThere() {
        return Holder.LIBRARY != null;
    }

    static NativeLibrary library() {
        return NativeLibrary.getInstance(NAME, VerbsLibrary.class.getClassLoader());
    }

    /**
     * Why the last call of this thread failed.
     *
     * @return an errno.
     */
    public int errno() {
        return Native.getLastError();
    }

    /**
     * The address of a function that not every version has.
     *
     * @param name its C name.
     * @return 0 if this one has it not.
     */
    public long find(final String name) {
        try {
            return Pointer.nativeValue(library().getFunction(name));
        } catch (final UnsatisfiedLinkError e) {
            return 0;
        }
    }

    /**
     * Calls a function by its address; for control calls, as it allocates.
     *
     * @param function  from {@link #find}, or from a context's table.
     * @param arguments {@code Long}, {@code Integer}, {@code Byte}.
     * @return what it returns, an address or a number.
     */
    public long call(final long function, final Object... arguments) {
        return Function.getFunction(new Pointer(function)).invokeLong(arguments);
    }

    /**
     * The same, of a function that returns an int.
     *
     * @param function  from {@link #find}, or from a context's table.
     * @param arguments {@code Long}, {@code Integer}, {@code Byte}.
     * @return what it returns.
     */
    public int callInt(final long function, final Object... arguments) {
        return Function.getFunction(new Pointer(function)).invokeInt(arguments);
    }

    /**
     * {@code ibv_get_device_list}.
     *
     * @param count where to store how many there are, an {@code int}.
     * @return the list, 0 for none.
     */
    public long getDeviceList(final long count) {
        return exports.ibv_get_device_list(count);
    }

    /**
     * {@code ibv_free_device_list}.
     *
     * @param list a list of {@link #getDeviceList}.
     */
    public void freeDeviceList(final long list) {
        exports.ibv_free_device_list(list);
    }

    /**
     * {@code ibv_open_device}.
     *
     * @param device of the list.
     * @return a context, 0 if it failed.
     */
    public long openDevice(final long device) {
        return exports.ibv_open_device(device);
    }

    /**
     * {@code ibv_close_device}.
     *
     * @param context an open context.
     * @return 0, or it failed.
     */
    public int closeDevice(final long context) {
        return exports.ibv_close_device(context);
    }

    /**
     * {@code ibv_query_device}.
     *
     * @param context an open context.
     * @param attr    where to store an {@code ibv_device_attr}.
     * @return 0 or an errno.
     */
    public int queryDevice(final long context, final long attr) {
        return exports.ibv_query_device(context, attr);
    }

    /**
     * {@code ibv_query_port}.
     *
     * @param context an open context.
     * @param port    number of the port.
     * @param attr    where to store an {@code ibv_port_attr}.
     * @return 0 or an errno.
     */
    public int queryPort(final long context, final byte port, final long attr) {
        return exports.ibv_query_port(context, port, attr);
    }

    /**
     * {@code ibv_query_gid}.
     *
     * @param context an open context.
     * @param port    number of the port.
     * @param index   in the table.
     * @param gid     where to store 16 bytes.
     * @return 0, or it failed.
     */
    public int queryGid(final long context, final byte port, final int index, final long gid) {
        return exports.ibv_query_gid(context, port, index, gid);
    }

    /**
     * {@code ibv_query_pkey}.
     *
     * @param context an open context.
     * @param port    number of the port.
     * @param index   in the table.
     * @param pkey    where to store 2 bytes, the upper one first.
     * @return 0, or it failed.
     */
    public int queryPkey(final long context, final byte port, final int index, final long pkey) {
        return exports.ibv_query_pkey(context, port, index, pkey);
    }

    /**
     * {@code ibv_alloc_pd}.
     *
     * @param context an open context.
     * @return a domain, 0 if it failed.
     */
    public long allocPd(final long context) {
        return exports.ibv_alloc_pd(context);
    }

    /**
     * {@code ibv_dealloc_pd}.
     *
     * @param pd a domain.
     * @return 0 or an errno.
     */
    public int deallocPd(final long pd) {
        return exports.ibv_dealloc_pd(pd);
    }

    /**
     * {@code ibv_reg_mr}.
     *
     * @param pd      a domain.
     * @param address first byte.
     * @param length  bytes.
     * @param access  rights.
     * @return a region, 0 if it failed.
     */
    public long regMr(final long pd, final long address, final long length, final int access) {
        return exports.ibv_reg_mr(pd, address, length, access);
    }

    /**
     * {@code ibv_dereg_mr}.
     *
     * @param mr a region.
     * @return 0 or an errno.
     */
    public int deregMr(final long mr) {
        return exports.ibv_dereg_mr(mr);
    }

    /**
     * {@code ibv_create_comp_channel}.
     *
     * @param context an open context.
     * @return a channel, 0 if it failed.
     */
    public long createCompChannel(final long context) {
        return exports.ibv_create_comp_channel(context);
    }

    /**
     * {@code ibv_destroy_comp_channel}.
     *
     * @param channel a channel.
     * @return 0 or an errno.
     */
    public int destroyCompChannel(final long channel) {
        return exports.ibv_destroy_comp_channel(channel);
    }

    /**
     * {@code ibv_get_cq_event}.
     *
     * @param channel a channel that has an event.
     * @param cq      where to store the address of its CQ.
     * @param cookie  where to store the CQ's {@code cq_context}.
     * @return 0, or it failed.
     */
    public int getCqEvent(final long channel, final long cq, final long cookie) {
        return exports.ibv_get_cq_event(channel, cq, cookie);
    }

    /**
     * {@code ibv_ack_cq_events}.
     *
     * @param cq    a CQ.
     * @param count how many events of it.
     */
    public void ackCqEvents(final long cq, final int count) {
        exports.ibv_ack_cq_events(cq, count);
    }

    /**
     * {@code ibv_create_cq}.
     *
     * @param context an open context.
     * @param cqe     entries.
     * @param cookie  comes back with its events.
     * @param channel a channel, or 0.
     * @param vector  completion vector.
     * @return a CQ, 0 if it failed.
     */
    public long createCq(final long context, final int cqe, final long cookie, final long channel, final int vector) {
        return exports.ibv_create_cq(context, cqe, cookie, channel, vector);
    }

    /**
     * {@code ibv_resize_cq}.
     *
     * @param cq  a CQ.
     * @param cqe entries.
     * @return 0 or an errno.
     */
    public int resizeCq(final long cq, final int cqe) {
        return exports.ibv_resize_cq(cq, cqe);
    }

    /**
     * {@code ibv_destroy_cq}.
     *
     * @param cq a CQ.
     * @return 0 or an errno.
     */
    public int destroyCq(final long cq) {
        return exports.ibv_destroy_cq(cq);
    }

    /**
     * {@code ibv_create_qp}.
     *
     * @param pd   a domain.
     * @param attr an {@code ibv_qp_init_attr}; the sizes are stored back.
     * @return a QP, 0 if it failed.
     */
    public long createQp(final long pd, final long attr) {
        return exports.ibv_create_qp(pd, attr);
    }

    /**
     * {@code ibv_modify_qp}.
     *
     * @param qp   a QP.
     * @param attr an {@code ibv_qp_attr}.
     * @param mask which of its members count.
     * @return 0 or an errno.
     */
    public int modifyQp(final long qp, final long attr, final int mask) {
        return exports.ibv_modify_qp(qp, attr, mask);
    }

    /**
     * {@code ibv_query_qp}.
     *
     * @param qp       a QP.
     * @param attr     where to store an {@code ibv_qp_attr}.
     * @param mask     which of its members are wanted.
     * @param initAttr where to store an {@code ibv_qp_init_attr}.
     * @return 0 or an errno.
     */
    public int queryQp(final long qp, final long attr, final int mask, final long initAttr) {
        return exports.ibv_query_qp(qp, attr, mask, initAttr);
    }

    /**
     * {@code ibv_destroy_qp}.
     *
     * @param qp a QP.
     * @return 0 or an errno.
     */
    public int destroyQp(final long qp) {
        return exports.ibv_destroy_qp(qp);
    }

    /**
     * {@code ibv_create_srq}.
     *
     * @param pd   a domain.
     * @param attr an {@code ibv_srq_init_attr}; the sizes are stored back.
     * @return a SRQ, 0 if it failed.
     */
    public long createSrq(final long pd, final long attr) {
        return exports.ibv_create_srq(pd, attr);
    }

    /**
     * {@code ibv_modify_srq}.
     *
     * @param srq  a SRQ.
     * @param attr an {@code ibv_srq_attr}.
     * @param mask which of its members count.
     * @return 0 or an errno.
     */
    public int modifySrq(final long srq, final long attr, final int mask) {
        return exports.ibv_modify_srq(srq, attr, mask);
    }

    /**
     * {@code ibv_query_srq}.
     *
     * @param srq  a SRQ.
     * @param attr where to store an {@code ibv_srq_attr}.
     * @return 0 or an errno.
     */
    public int querySrq(final long srq, final long attr) {
        return exports.ibv_query_srq(srq, attr);
    }

    /**
     * {@code ibv_destroy_srq}.
     *
     * @param srq a SRQ.
     * @return 0 or an errno.
     */
    public int destroySrq(final long srq) {
        return exports.ibv_destroy_srq(srq);
    }

    /**
     * {@code ibv_create_ah}.
     *
     * @param pd   a domain.
     * @param attr an {@code ibv_ah_attr}.
     * @return a handle, 0 if it failed.
     */
    public long createAh(final long pd, final long attr) {
        return exports.ibv_create_ah(pd, attr);
    }

    /**
     * {@code ibv_destroy_ah}.
     *
     * @param ah a handle.
     * @return 0 or an errno.
     */
    public int destroyAh(final long ah) {
        return exports.ibv_destroy_ah(ah);
    }

    /**
     * {@code ibv_get_async_event}.
     *
     * @param context an open context that has an event.
     * @param event   where to store an {@code ibv_async_event}.
     * @return 0, or it failed.
     */
    public int getAsyncEvent(final long context, final long event) {
        return exports.ibv_get_async_event(context, event);
    }

    /**
     * {@code ibv_ack_async_event}.
     *
     * @param event an {@code ibv_async_event}.
     */
    public void ackAsyncEvent(final long event) {
        exports.ibv_ack_async_event(event);
    }

    /** Loads at the first use, and remembers what came of it. */
    private static final class Holder {
        static final VerbsLibrary LIBRARY;
        static final String WHY_NOT;

        static {
            VerbsLibrary library = null;
            String whyNot = "";
            try {
                library();
                whyNot = "it is too old, or no libibverbs: ";
                library = new VerbsLibrary(new Exports());
            } catch (final LinkageError e) {
                whyNot += String.valueOf(e.getMessage()).lines().limit(2).collect(Collectors.joining(" "));
            }
            LIBRARY = library;
            WHY_NOT = whyNot;
        }
    }
}
