/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

/**
 * An RDMA device of the kernel's, as libibverbs lists them.
 *
 * @param name       its name, such as {@code mlx5_0}.
 * @param isSoftware whether there is no hardware behind it: rxe or siw.
 * @param isIwarp    whether it speaks iWARP, which siw does; else RoCE or InfiniBand.
 */
public record RdmaDevice(String name, boolean isSoftware, boolean isIwarp) {
}
