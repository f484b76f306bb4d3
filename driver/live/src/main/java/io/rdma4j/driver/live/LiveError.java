/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

/**
 * An entry of the distinct error log.
 *
 * @param count       how often it happened.
 * @param firstMillis when first, milliseconds since 1970.
 * @param lastMillis  when last.
 * @param text        the stack trace.
 */
public record LiveError(int count, long firstMillis, long lastMillis, String text) {
}
