/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

/**
 * Which vector.
 *
 * @param name   that the application gave.
 * @param domain name of the domain.
 */
record SharedName(String name, String domain) {
}
