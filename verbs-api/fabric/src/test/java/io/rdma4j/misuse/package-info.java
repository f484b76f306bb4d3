/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Both interfaces, used as nobody should. */
package io.rdma4j.misuse;
