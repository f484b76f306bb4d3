/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Stress tests of whole queue pairs on the emulated device: what posting, closing, changing states and closing regions
 * do to each other. Each state is a queue pair that is connected with itself, so there are fewer of them than of rings.
 */
package io.rdma4j.stress.device;
