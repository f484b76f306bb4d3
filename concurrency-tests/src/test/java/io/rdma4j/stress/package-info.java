/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Stress tests of the rings and of page counts: each states which outcomes of two threads are legal, and any other one
 * fails the build.
 */
package io.rdma4j.stress;
