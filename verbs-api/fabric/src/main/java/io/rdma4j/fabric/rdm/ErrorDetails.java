/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.verbs.WcStatus;

/** What completions tell of a failure besides its number. Stateless. */
final class ErrorDetails {
    private ErrorDetails() {
    }

    static int of(final int errno) {
        return switch (errno) {
            case FiErrno.FI_ECANCELED -> Failures.CLOSED;
            case FiErrno.FI_ECONNREFUSED -> Failures.REFUSED;
            case FiErrno.FI_ECONNRESET -> Failures.RESET;
            case FiErrno.FI_EHOSTUNREACH -> Failures.UNREACHABLE;
            case FiErrno.FI_EKEYREJECTED -> Failures.NO_KEY;
            case FiErrno.FI_EACCES -> Failures.NO_RIGHT;
            case FiErrno.FI_ETRUNC -> Failures.CUT;
            case FiErrno.FI_EIO -> Failures.NOT_STORED;
            case FiErrno.FI_ENOMEM -> Failures.NO_ROOM;
            // As for connected endpoints, where the device finds out.
            case FiErrno.FI_EFAULT -> Failures.detail(WcStatus.LOC_PROT_ERR, 0);
            case FiErrno.FI_EOPNOTSUPP -> Failures.NO_TAGS;
            case FiErrno.FI_EINVAL -> Failures.NO_CONTEXT;
            default -> Failures.LANE_LOST;
        };
    }

    /** Of RMA that waited for its connection, and was refused when that was there. */
    static int ofLateRma(final int errno) {
        return switch (errno) {
            case FiErrno.FI_EOPNOTSUPP, FiErrno.FI_EINVAL, FiErrno.FI_EDOMAIN, FiErrno.FI_EACCES ->
                Failures.NOT_STARTED;
            default -> of(errno);
        };
    }
}
