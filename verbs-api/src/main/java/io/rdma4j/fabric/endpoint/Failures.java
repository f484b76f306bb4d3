/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;

/** The numbers of the layer below in the words of this one, and what is told about a failure. */
final class Failures {
    /** Details at which texts of this layer begin; below are those of completions. */
    private static final int OWN = 1 << 30;
    /** The peer has no such key. */
    static final int NO_KEY = OWN;
    /** The peer's region is disabled. */
    static final int DISABLED = OWN + 1;
    /** The peer's region lacks the right. */
    static final int NO_RIGHT = OWN + 2;
    /** Not inside of the peer's region. */
    static final int OUT_OF_BOUNDS = OWN + 3;
    /** The key is not mapped. */
    static final int NOT_MAPPED = OWN + 4;
    /** The key is wider than the device's keys. */
    static final int WIDE_KEY = OWN + 5;
    /** The endpoint was closed. */
    static final int CLOSED = OWN + 6;
    /** The lane broke, and cannot be mended. */
    static final int LANE_LOST = OWN + 7;
    /** The directory could not be read. */
    static final int NO_DIRECTORY = OWN + 8;
    /** The key changed each time it was looked up. */
    static final int UNSTEADY_KEY = OWN + 9;
    /** An operation before it failed on this side. */
    static final int FATE_UNKNOWN = OWN + 10;

    private static final String[] OWN_TEXTS = {
        "the peer has no region with this key",
        "the peer's region is disabled",
        "the peer's region does not allow this operation",
        "the range is not inside of the peer's region",
        "the key looks like a mapped one, and is not mapped",
        "the key has more than 32 bits, keys of the device have 32",
        "the endpoint was closed",
        "an operation before this one failed, and the lane cannot be mended",
        "the peer's key directory could not be read",
        "the peer's region was replaced again and again while it was accessed",
        "an operation before this one failed at its local memory: the peer may have carried out this one, or not",
    };
    private static final WcStatus[] STATUSES = WcStatus.values();
    private static final int STATUS_MASK = 0xff;
    private static final int VENDOR_SHIFT = 8;
    private static final int VENDOR_MASK = 0x3fffff;

    private Failures() {
    }

    static FabricException.Builder of(
        final String operation, final int errno, final String detail, final Object... args) {
        return FabricException.of(operation).detail(detail, args).errno(errno);
    }

    static FabricException invalid(final String operation, final String detail, final Object... args) {
        return of(operation, FiErrno.FI_EINVAL, detail, args).build();
    }

    /** Of a completion that failed; not 0. */
    static int detail(final WcStatus status, final int vendorError) {
        return status.ordinal() | (vendorError & VENDOR_MASK) << VENDOR_SHIFT;
    }

    static String text(final int errno, final int detail) {
        if (errno == 0) {
            return "";
        }
        if (detail >= OWN) {
            return OWN_TEXTS[detail - OWN];
        }
        return "the device says " + STATUSES[(detail & STATUS_MASK) % STATUSES.length] + ", vendor error 0x"
            + Integer.toHexString(detail >>> VENDOR_SHIFT);
    }

    /** The errno of a completion that failed. */
    static int errno(final WcStatus status, final boolean receive) {
        return switch (status) {
            case SUCCESS -> FiErrno.FI_SUCCESS;
            case LOC_LEN_ERR -> receive ? FiErrno.FI_ETRUNC : FiErrno.FI_EMSGSIZE;
            case WR_FLUSH_ERR -> FiErrno.FI_ECANCELED;
            case LOC_PROT_ERR, LOC_ACCESS_ERR -> FiErrno.FI_EFAULT;
            case REM_ACCESS_ERR -> FiErrno.FI_EACCES;
            case REM_INV_REQ_ERR -> FiErrno.FI_EINVAL;
            case RETRY_EXC_ERR, RESP_TIMEOUT_ERR -> FiErrno.FI_ETIMEDOUT;
            case RNR_RETRY_EXC_ERR -> FiErrno.FI_ENORX;
            default -> FiErrno.FI_EIO;
        };
    }

    /** What posting answers, negated errno. */
    static int negated(final int returnCode) {
        return switch (returnCode) {
            case ReturnCode.OK -> 0;
            case ReturnCode.QUEUE_FULL -> -FiErrno.FI_EAGAIN;
            case ReturnCode.WRONG_STATE -> -FiErrno.FI_ENOTCONN;
            case ReturnCode.CLOSED -> -FiErrno.FI_EBADFD;
            case ReturnCode.DEVICE_FAILED -> -FiErrno.FI_EIO;
            case ReturnCode.UNSUPPORTED -> -FiErrno.FI_EOPNOTSUPP;
            default -> -FiErrno.FI_EINVAL;
        };
    }
}
