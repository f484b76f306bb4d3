/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Tests of how connections come about. */
package io.rdma4j.fabric.cm;
