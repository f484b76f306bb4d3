/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.live;

import io.rdma4j.base.LiveKind;

/** An address handle: no object of the device; numbered by the driver. */
public final class AhKind {
    private static final LiveKind.Builder K = LiveKind.of(10, "AH");

    /** Handle. */
    public static final int PD = K.attribute("pd");
    /** Of the device. */
    public static final int PORT = K.attribute("port");
    /** Of the source. */
    public static final int GID_INDEX = K.attribute("gid_index");
    /** The first eight bytes of the destination GID. */
    public static final int DGID_HIGH = K.attribute("dgid_high");
    /** The last eight bytes. */
    public static final int DGID_LOW = K.attribute("dgid_low");
    /** LID of the destination; 0, as there are only GIDs. */
    public static final int DLID = K.attribute("dlid");
    /** Service level. */
    public static final int SL = K.attribute("sl");
    /** Hops. */
    public static final int HOP_LIMIT = K.attribute("hop_limit");
    /** Traffic class. */
    public static final int TRAFFIC_CLASS = K.attribute("traffic_class");

    /** The kind that has these. */
    public static final LiveKind KIND = K.build();

    private AhKind() {
    }
}
