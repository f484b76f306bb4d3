/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** What a provider of the fabric interfaces implements. */
package io.rdma4j.fabric.spi;
