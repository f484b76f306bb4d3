/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.live;

import io.rdma4j.base.LiveKind;
import io.rdma4j.hw.layout.Names;

/** The device itself: one, with handle 0. */
public final class DeviceKind {
    private static final LiveKind.Builder K = LiveKind.of(1, "DEVICE");

    /** VERSION register. */
    public static final int VERSION = K.attribute("version");
    /** Where the device sees the shared region. */
    public static final int DSR_IOVA = K.attribute("dsr_iova");
    /** Where it sees the command slot. */
    public static final int CMD_SLOT_IOVA = K.attribute("cmd_slot_iova");
    /** Where it sees the response slot. */
    public static final int RESP_SLOT_IOVA = K.attribute("resp_slot_iova");
    /** What was last written to CTL. */
    public static final int CTL = K.attribute("ctl");
    /** What was last written to IMR. */
    public static final int IMR = K.attribute("imr");
    /** What was last read from ERR. */
    public static final int ERR = K.attribute("err");
    /** Page frame number of the doorbell page. */
    public static final int UAR_PFN = K.attribute("uar_pfn");
    /** How it is, one of {@link #STATES}. */
    public static final int STATE = K.attribute("state");
    /** Interrupt vectors granted. */
    public static final int VECTORS = K.attribute("vectors");

    /** The names of its states. */
    public static final Names STATES = Names.of(0, "works", "failed", "closing");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private DeviceKind() {
    }
}
