/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The fabric guest: a virtual machine that lends its kernel, and with it a software RDMA device ({@code rdma_rxe}), to
 * programs of this host. {@link io.rdma4j.qemu.guest.FabricGuest} boots it and runs commands in it;
 * {@link io.rdma4j.qemu.guest.GuestMain} does the same by hand.
 *
 * <p>Reading order: {@link io.rdma4j.qemu.guest.GuestContext} (what can be set),
 * {@link io.rdma4j.qemu.guest.GuestKernel} (where the kernel comes from), {@link io.rdma4j.qemu.guest.Initramfs} (what
 * it finds at boot), then {@link io.rdma4j.qemu.guest.FabricGuest} and the scripts beside it in the resources. A guest
 * in which Linux drives devices that this host serves takes {@link io.rdma4j.qemu.guest.ServedParts} besides.
 */
package io.rdma4j.qemu.guest;
