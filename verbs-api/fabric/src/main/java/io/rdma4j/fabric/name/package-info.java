/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Names of endpoints: finding what they stand for, telling others, counting them up. Who reads it first:
 * {@link io.rdma4j.fabric.name.NameResolver} asks, {@link io.rdma4j.fabric.name.NameServer} tells.
 */
package io.rdma4j.fabric.name;
