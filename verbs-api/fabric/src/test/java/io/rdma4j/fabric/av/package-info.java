/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Tests of address vectors. */
package io.rdma4j.fabric.av;
