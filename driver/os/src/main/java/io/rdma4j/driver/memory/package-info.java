/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Memory that is not simply allocated: dma-bufs of other devices, persistent files, which of it is there, and what
 * becomes of mapped memory behind a region's back.
 */
package io.rdma4j.driver.memory;
