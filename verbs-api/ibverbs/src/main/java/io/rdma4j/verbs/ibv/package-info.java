/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Verbs on any RDMA device of the kernel, through the system's libibverbs: docs/ibverbs.md. {@code lib} has the calls;
 * {@code Abi} says where in the library's structures what lies; the other classes are the objects of the interface.
 */
package io.rdma4j.verbs.ibv;
