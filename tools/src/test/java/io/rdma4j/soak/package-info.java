/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/** Mixed load for hours, beside what it leaves behind. */
package io.rdma4j.soak;
