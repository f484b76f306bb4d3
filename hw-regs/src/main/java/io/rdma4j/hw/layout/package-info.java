/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Descriptions of C structs, and views of them on a buffer: how every register block, command and queue element of the
 * device is named, sized and printed.
 */
package io.rdma4j.hw.layout;
