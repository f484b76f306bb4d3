/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * What every layer of rdma4j shares: the one exception type of the control path.
 */
package io.rdma4j;
