/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import java.util.Locale;

/**
 * A command cannot be carried out; becomes the device's ERR register and the response's err byte. Control path only.
 */
public final class CommandError extends RuntimeException {
    /** Object not found. */
    public static final int ENOENT = 2;
    /** The object's state forbids it. */
    public static final int EIO = 5;
    /** A table or a ring is full. */
    public static final int ENOMEM = 12;
    /** An address is not mapped for the device. */
    public static final int EFAULT = 14;
    /** Other objects still use the object. */
    public static final int EBUSY = 16;
    /** A value is out of range. */
    public static final int EINVAL = 22;
    /** The device does not offer this. */
    public static final int EOPNOTSUPP = 95;

    private static final long serialVersionUID = 1L;

    private final int errno;

    /**
     * A refusal.
     *
     * @param errno positive, Linux' numbering.
     * @param why   what is wrong, for the error log.
     */
    public CommandError(int errno, String why) {
        super(why, null, false, false);
        this.errno = errno;
    }

    /**
     * {@return the refusal of a value that is out of range}
     *
     * @param format a {@link String#format} pattern
     * @param args   its arguments
     */
    public static CommandError invalid(String format, Object... args) {
        return new CommandError(EINVAL, String.format(Locale.ROOT, format, args));
    }

    /**
     * {@return the positive errno}
     */
    public int errno() {
        return errno;
    }
}
