/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Registration of Chronicle Bytes memory. Needs {@code net.openhft:chronicle-bytes} on the class path, which is an
 * optional dependency.
 */
package io.rdma4j.verbs.chronicle;
