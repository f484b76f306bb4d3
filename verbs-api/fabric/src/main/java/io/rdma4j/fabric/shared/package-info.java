/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Address vectors that processes share, each in a file that all of them map. Who reads it first: {@code SharedLayout}
 * says what is in the file, {@code SharedFile} makes, opens, locks and removes it, {@code SharedStore} reads it and
 * changes it.
 */
package io.rdma4j.fabric.shared;
