/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

/**
 * The flags of open that are not the same everywhere. The other architecture's bit is a valid flag of another meaning,
 * which is why they are not constants.
 *
 * <pre>
 *                 x86-64      aarch64
 *   O_DIRECT      0x04000     0x10000
 *   O_LARGEFILE   0x08000     0x20000
 *   O_DIRECTORY   0x10000     0x04000
 *   O_NOFOLLOW    0x20000     0x08000
 * </pre>
 *
 * @param direct    O_DIRECT
 * @param largeFile O_LARGEFILE
 * @param directory O_DIRECTORY
 * @param noFollow  O_NOFOLLOW
 */
record OpenFlags(int direct, int largeFile, int directory, int noFollow) {
    static final OpenFlags X86_64 = new OpenFlags(0x04000, 0x08000, 0x10000, 0x20000);
    static final OpenFlags AARCH64 = new OpenFlags(0x10000, 0x20000, 0x04000, 0x08000);
    static final OpenFlags HERE = of(System.getProperty("os.arch", ""));

    /** Elsewhere the library does not load, and the numbers do not matter. */
    static OpenFlags of(final String architecture) {
        return "aarch64".equals(architecture) ? AARCH64 : X86_64;
    }
}
