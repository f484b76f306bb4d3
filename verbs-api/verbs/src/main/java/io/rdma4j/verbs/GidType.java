/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** How messages between GIDs are framed, {@code ibv_gid_type}. Both ends need the same. */
public enum GidType {
    /** InfiniBand. */
    IB("IB"),
    /** Behind an Ethernet type of its own. */
    ROCE_V1("RoCE v1"),
    /** In UDP over IP. */
    ROCE_V2("RoCE v2");

    private final String title;

    GidType(final String title) {
        this.title = title;
    }

    /**
     * Its name as ibv_devinfo prints it.
     *
     * @return such as {@code "RoCE v2"}.
     */
    public String title() {
        return title;
    }
}
