/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The pvrdma device as its driver sees it: registers, the shared region, queue elements, doorbell words, ring index and
 * page directory arithmetic. Nothing here does input or output, and nothing here fences: that is the business of the
 * queues.
 *
 * <p>Structs of the data path ({@link io.rdma4j.hw.pvrdma.SqWqe}, {@link io.rdma4j.hw.pvrdma.Cqe} and so on) are static
 * functions of a buffer and an offset; structs of the control path are
 * {@linkplain io.rdma4j.hw.layout.Flyweight flyweights}, with {@linkplain io.rdma4j.hw.layout.Fields one line} for each
 * field. The names are those of the Linux headers {@code pvrdma_dev_api.h}, {@code pvrdma_verbs.h} and
 * {@code vmw_pvrdma-abi.h}.
 */
package io.rdma4j.hw.pvrdma;
