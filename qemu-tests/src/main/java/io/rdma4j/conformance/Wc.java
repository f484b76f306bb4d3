/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

/** A copy of a completion, to be looked at after the poll; for tests, where allocation does not matter. */
record Wc(
    long wrId, WcStatus status, WcOpcode opcode, int byteLength, boolean hasImm, int imm, boolean hasGrh, int qpn,
    int sourceQp, int vendorError, boolean invalidated, int invalidatedRkey, boolean vague) {
    private static final String VAGUE = "local-errors-are-qp-operation-errors";

    static Wc of(final Completion completion) {
        final boolean ok = completion.status() == WcStatus.SUCCESS;
        return new Wc(completion.wrId(), completion.status(), completion.opcode(),
            ok ? completion.byteLength() : 0, ok && completion.hasImmData(), ok ? completion.immData() : 0,
            ok && completion.hasGrh(), completion.qpNumber(), ok ? completion.sourceQp() : 0,
            completion.vendorError(), ok && completion.isInvalidated(), ok ? completion.invalidatedRkey() : 0,
            !ok && completion.queuePair().pd().context().peculiarities().stream()
                .anyMatch(item -> item.name().equals(VAGUE)));
    }

    /** Checks the three things that every good completion says. */
    Wc expect(final long expectedWrId, final WcOpcode expectedOpcode) {
        Check.that(status == WcStatus.SUCCESS && wrId == expectedWrId && opcode == expectedOpcode,
            "expected a good %s of wrId 0x%x, was %s", expectedOpcode, expectedWrId, this);
        return this;
    }

    Wc expectBytes(final int expected) {
        Check.equal(expected, byteLength, "byteLength of " + this);
        return this;
    }

    Wc expectStatus(final long expectedWrId, final WcStatus expected) {
        Check.that((status == expected || vague && isVague(expected)) && wrId == expectedWrId,
            "expected %s of wrId 0x%x, was %s", expected, expectedWrId, this);
        return this;
    }

    /** What a device says that knows one local error, and one remote error for that. */
    private boolean isVague(final WcStatus expected) {
        return switch (expected) {
            case LOC_PROT_ERR, LOC_LEN_ERR, MW_BIND_ERR -> status == WcStatus.LOC_QP_OP_ERR;
            case REM_INV_REQ_ERR -> status == WcStatus.REM_OP_ERR;
            default -> false;
        };
    }
}
