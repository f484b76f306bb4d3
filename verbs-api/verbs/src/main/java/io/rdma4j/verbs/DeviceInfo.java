/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * A device that can be opened.
 *
 * @param address     what to give to {@link RdmaDevices#open}.
 * @param description one line for people.
 */
public record DeviceInfo(String address, String description) {
}
