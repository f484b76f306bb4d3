/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The C library, as far as a driver needs it: the one reviewed place that calls it through JNA.
 *
 * <p>{@link io.rdma4j.driver.libc.Libc} has the calls, {@link io.rdma4j.driver.libc.LibcConstants} the numbers;
 * {@link io.rdma4j.driver.libc.Fd}, {@link io.rdma4j.driver.libc.MappedMemory} and
 * {@link io.rdma4j.driver.libc.EventFd} own what the calls return, and {@link io.rdma4j.driver.libc.PollSet} waits for
 * it. Every failure is one {@link io.rdma4j.RdmaException} that names the call, its arguments and the errno. No type of
 * JNA appears in a public signature.
 */
package io.rdma4j.driver.libc;
