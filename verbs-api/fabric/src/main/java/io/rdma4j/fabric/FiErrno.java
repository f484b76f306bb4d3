/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;

/**
 * Fabric error numbers (rdma/fi_errno.h): below 256 Linux' errno, from there libfabric's own. Operations return them
 * negated; {@link FabricException#errno()} tells them as they are here.
 */
public final class FiErrno {
    /** Done. */
    public static final int FI_SUCCESS = 0;
    /** Not permitted. */
    public static final int FI_EPERM = 1;
    /** No such object. */
    public static final int FI_ENOENT = 2;
    /** Interrupted. */
    public static final int FI_EINTR = 4;
    /** Input or output error. */
    public static final int FI_EIO = 5;
    /** Too many arguments. */
    public static final int FI_E2BIG = 7;
    /** Not an open file. */
    public static final int FI_EBADF = 9;
    /** Not now: make progress and try again. */
    public static final int FI_EAGAIN = 11;
    /** Memory, or a limit, is exhausted. */
    public static final int FI_ENOMEM = 12;
    /** Not allowed. */
    public static final int FI_EACCES = 13;
    /** Memory that is not there. */
    public static final int FI_EFAULT = 14;
    /** In use. */
    public static final int FI_EBUSY = 16;
    /** No such device. */
    public static final int FI_ENODEV = 19;
    /** Invalid argument. */
    public static final int FI_EINVAL = 22;
    /** Too many open files. */
    public static final int FI_EMFILE = 24;
    /** No room left. */
    public static final int FI_ENOSPC = 28;
    /** The provider cannot do this. */
    public static final int FI_ENOSYS = 38;
    /** Nothing to read. */
    public static final int FI_ENOMSG = 42;
    /** Nothing matches what was asked for. */
    public static final int FI_ENODATA = 61;
    /** What the peer said makes no sense. */
    public static final int FI_EPROTO = 71;
    /** The value does not fit. */
    public static final int FI_EOVERFLOW = 75;
    /** Closed, or in a state that forbids it. Linux' errno; libfabric's header has no name for it. */
    public static final int FI_EBADFD = 77;
    /** Too long. */
    public static final int FI_EMSGSIZE = 90;
    /** No such option. */
    public static final int FI_ENOPROTOOPT = 92;
    /** Not offered. */
    public static final int FI_EOPNOTSUPP = 95;
    /** The address is in use. */
    public static final int FI_EADDRINUSE = 98;
    /** The address cannot be had. */
    public static final int FI_EADDRNOTAVAIL = 99;
    /** The network is down. */
    public static final int FI_ENETDOWN = 100;
    /** The network cannot be reached. */
    public static final int FI_ENETUNREACH = 101;
    /** The connection is gone. */
    public static final int FI_ECONNABORTED = 103;
    /** The peer broke the connection. */
    public static final int FI_ECONNRESET = 104;
    /** No buffers. */
    public static final int FI_ENOBUFS = 105;
    /** Connected already. */
    public static final int FI_EISCONN = 106;
    /** Not connected. */
    public static final int FI_ENOTCONN = 107;
    /** Shut down. */
    public static final int FI_ESHUTDOWN = 108;
    /** The deadline passed. */
    public static final int FI_ETIMEDOUT = 110;
    /** The peer refused. */
    public static final int FI_ECONNREFUSED = 111;
    /** The host is down. */
    public static final int FI_EHOSTDOWN = 112;
    /** The host cannot be reached. */
    public static final int FI_EHOSTUNREACH = 113;
    /** Under way already. */
    public static final int FI_EALREADY = 114;
    /** Under way. */
    public static final int FI_EINPROGRESS = 115;
    /** Input or output error at the peer. */
    public static final int FI_EREMOTEIO = 121;
    /** Cancelled. */
    public static final int FI_ECANCELED = 125;
    /** The key cannot be had. */
    public static final int FI_EKEYREJECTED = 129;
    /** Other. */
    public static final int FI_EOTHER = 256;
    /** The buffer is too small. */
    public static final int FI_ETOOSMALL = 257;
    /** Not in this state. */
    public static final int FI_EOPBADSTATE = 258;
    /** An error entry is to be read. */
    public static final int FI_EAVAIL = 259;
    /** Flags that are not supported. */
    public static final int FI_EBADFLAGS = 260;
    /** There is no event queue. */
    public static final int FI_ENOEQ = 261;
    /** Of another domain. */
    public static final int FI_EDOMAIN = 262;
    /** There is no completion queue. */
    public static final int FI_ENOCQ = 263;
    /** Checksum. */
    public static final int FI_ECRC = 264;
    /** Truncated. */
    public static final int FI_ETRUNC = 265;
    /** The key is in use already. */
    public static final int FI_ENOKEY = 266;
    /** There is no address vector. */
    public static final int FI_ENOAV = 267;
    /** The queue ran over. */
    public static final int FI_EOVERRUN = 268;
    /** The receiver has no buffer. */
    public static final int FI_ENORX = 269;
    /** No more regions. */
    public static final int FI_ENOMR = 270;
    /** The host is behind a firewall. */
    public static final int FI_EFIREWALLADDR = 271;

    private static final Map<Integer, String> NAMES = names();

    private FiErrno() {
    }

    /**
     * The name of an error.
     *
     * @param errno a number from here, or its negation.
     * @return such as {@code FI_EAGAIN}; the number as text for one that is not here.
     */
    public static String name(final int errno) {
        final int positive = errno < 0 ? -errno : errno;
        final String known = NAMES.get(positive);
        return known == null ? Integer.toString(errno) : known;
    }

    private static Map<Integer, String> names() {
        final Map<Integer, String> names = new HashMap<>();
        for (final Field field : FiErrno.class.getFields()) {
            try {
                names.put(field.getInt(null), field.getName());
            } catch (final IllegalAccessException e) {
                throw new AssertionError(field.getName(), e);
            }
        }
        return Map.copyOf(names);
    }
}
