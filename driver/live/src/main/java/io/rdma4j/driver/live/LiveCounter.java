/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

/**
 * A counter of the device.
 *
 * @param id    in the file.
 * @param label what is counted.
 * @param value its total.
 */
public record LiveCounter(int id, String label, long value) {
}
