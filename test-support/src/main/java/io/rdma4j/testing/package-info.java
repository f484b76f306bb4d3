/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Runs test classes for {@code test.sh}: several processes share the classes of a module. */
package io.rdma4j.testing;
