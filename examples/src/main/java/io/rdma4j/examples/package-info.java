/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Small programs that show what each mr_mode bit of libfabric's memory registration asks of an application: once with
 * the bit and once without. {@link io.rdma4j.examples.Examples} lists and runs them.
 */
package io.rdma4j.examples;
