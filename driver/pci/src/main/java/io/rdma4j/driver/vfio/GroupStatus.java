/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.hw.layout.Layout;

/** {@code struct vfio_group_status}. */
final class GroupStatus {
    static final int LENGTH = 8;

    /** In flags: every device of the group is bound to a VFIO driver or to none. */
    static final int VFIO_GROUP_FLAGS_VIABLE = 1;
    /** In flags: the group is in a container. */
    static final int VFIO_GROUP_FLAGS_CONTAINER_SET = 1 << 1;

    static final Layout LAYOUT = Layout.of("vfio_group_status", LENGTH)
        .u32("argsz", Structs.ARGSZ_OFFSET)
        .u32("flags", Structs.FLAGS_OFFSET)
        .build();

    private GroupStatus() {
    }
}
