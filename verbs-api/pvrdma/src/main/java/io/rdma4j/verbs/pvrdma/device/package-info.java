/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The driver of the pvrdma device (PCI 15ad:0820).
 *
 * <p>Start reading at {@link io.rdma4j.verbs.pvrdma.device.PvrdmaDevice}: opening it runs the initialisation as a list
 * of named steps, closing it undoes them in reverse. {@link io.rdma4j.verbs.pvrdma.device.CommandChannel} exchanges
 * commands with the device, {@link io.rdma4j.verbs.pvrdma.device.PvrdmaCommands} is the typed front of it,
 * {@link io.rdma4j.verbs.pvrdma.device.DeviceProfile} says which {@link io.rdma4j.verbs.pvrdma.device.Quirk quirks} a
 * device has, and {@link io.rdma4j.verbs.pvrdma.device.DeviceLimits} what it can really do.
 *
 * <p>Some devices keep their objects when the process that made them is killed. {@code Journal} lists what is in such a
 * device in a file that survives, {@code Leftovers} destroys it at the next start.
 *
 * <p>The device is not trusted: responses are matched by key and code, handles and ring indices are checked, and a
 * device that breaks the rules is given up as failed, never waited for without a deadline.
 */
package io.rdma4j.verbs.pvrdma.device;
