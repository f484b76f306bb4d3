/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.nio.file.Path;

/**
 * What is written to a file of sysfs to have the kernel do something.
 *
 * @param file the file.
 * @param text what is written, without the line break that may end it; empty takes back what was written before.
 */
public record SysfsOrder(Path file, String text) {
}
