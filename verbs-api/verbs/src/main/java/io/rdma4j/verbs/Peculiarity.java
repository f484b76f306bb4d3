/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * Something that this device does otherwise than the specification says, and what the driver does about it.
 *
 * @param name        short name, as in the documentation.
 * @param description one or two sentences.
 */
public record Peculiarity(String name, String description) {
}
