/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;

/**
 * What an {@code ioctl} call asks for: its number, and how large its argument has to be. One constant each; the only
 * binding of {@code ioctl} checks the argument against it, so that the kernel never reads or writes beyond a buffer
 * that was too small for the request.
 *
 * @param name      the C name, for messages
 * @param number    the request's number, 32 bits
 * @param minLength the bytes which the kernel reads or writes at least; 0 for a request that takes a value
 * @param hasArgsz  whether the argument begins with its own length, a u32 called {@code argsz}, as VFIO's do
 */
public record IoctlRequest(String name, long number, int minLength, boolean hasArgsz) {
    private static final long MAX_NUMBER = 0xFFFF_FFFFL;
    /** asm-generic/ioctl.h: the size of the argument, in a number that also says which way it goes. */
    private static final int IOC_SIZE_SHIFT = 16;
    private static final int IOC_SIZE_MASK = 0x3fff;
    private static final int IOC_DIR_SHIFT = 30;

    /**
     * Checks the parts against each other.
     *
     * @param name      see above
     * @param number    see above
     * @param minLength see above
     * @param hasArgsz  see above
     * @throws RdmaException EINVAL if they make no sense
     */
    public IoctlRequest {
        Checks.that(name != null && !name.isBlank(), "ioctl request", "it has no name");
        Checks.that(number >= 0 && number <= MAX_NUMBER, "ioctl request", "%s: number %#x is not 32 bits", name,
            number);
        Checks.that(minLength >= 0, "ioctl request", "%s: minimal length %d", name, minLength);
        final int size = number >>> IOC_DIR_SHIFT == 0 ? 0 : (int) (number >>> IOC_SIZE_SHIFT) & IOC_SIZE_MASK;
        Checks.that(minLength >= size, "ioctl request", "%s: minimal length %d, but number %#x says %d", name,
            minLength, number, size);
        Checks.that(!hasArgsz || minLength >= Integer.BYTES, "ioctl request",
            "%s: %d bytes have no room for argsz", name, minLength);
    }

    /**
     * A request whose argument is a value, or that has none.
     *
     * @param name   the C name
     * @param number the number
     * @return the request
     */
    public static IoctlRequest ofValue(final String name, final long number) {
        return new IoctlRequest(name, number, 0, false);
    }
}
