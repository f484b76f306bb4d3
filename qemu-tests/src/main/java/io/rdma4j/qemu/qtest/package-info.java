/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * QEMU's own device model as a {@link io.rdma4j.driver.pci.PciDevice}, without a guest: QEMU runs with its processors
 * stopped, and the qtest protocol performs the bus accesses that a processor would. Device addresses begin with
 * {@code qtest:}.
 *
 * <p>{@link io.rdma4j.qemu.qtest.QtestDevice} starts such a QEMU; {@link io.rdma4j.qemu.qtest.QtestProvider} opens the
 * device in it.
 */
package io.rdma4j.qemu.qtest;
