/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j;

import java.util.Locale;

/**
 * The one exception of the control path: says which operation failed, on which device and object, with which values
 * and limits, the errno where there is one, and what to do about it.
 *
 * <p>The data path (post, poll) never throws it: it returns named codes. Instances are immutable apart from what
 * {@link Throwable} keeps, and safe to hand to other threads.
 */
public final class RdmaException extends RuntimeException {
    /** Operation not permitted. */
    public static final int EPERM = 1;
    /** No such device, object or file. */
    public static final int ENOENT = 2;
    /** Input or output error; also a device that answered with something that cannot be true. */
    public static final int EIO = 5;
    /** Resource is for the moment not available. */
    public static final int EAGAIN = 11;
    /** Out of memory, or a device limit is reached. */
    public static final int ENOMEM = 12;
    /** Permission denied. */
    public static final int EACCES = 13;
    /** Bad address: memory that is not mapped, or that the device cannot reach. */
    public static final int EFAULT = 14;
    /** Device or resource is in use. */
    public static final int EBUSY = 16;
    /** There is one already. */
    public static final int EEXIST = 17;
    /** No such device. */
    public static final int ENODEV = 19;
    /** Invalid argument. */
    public static final int EINVAL = 22;
    /** The object is closed, or the device is in a state that forbids the operation. */
    public static final int EBADFD = 77;
    /** The device or the library does not offer this operation. */
    public static final int EOPNOTSUPP = 95;
    /** Somebody else has that address. */
    public static final int EADDRINUSE = 98;
    /** This host has no such address. */
    public static final int EADDRNOTAVAIL = 99;
    /** The deadline passed. */
    public static final int ETIMEDOUT = 110;
    /** No way leads to the peer. */
    public static final int EHOSTUNREACH = 113;

    private static final long serialVersionUID = 1L;

    private final String operation;
    private final int errno;
    private final String hint;

    private RdmaException(final Builder builder) {
        super(builder.message(), builder.cause);
        this.operation = builder.operation;
        this.errno = builder.errno;
        this.hint = builder.hint;
    }

    /**
     * Begins the description of a failure.
     *
     * @param operation what was tried, in the words of the interface, such as {@code "create QP"}.
     * @return a builder; call {@link Builder#build()} last.
     */
    public static Builder of(final String operation) {
        return new Builder(operation);
    }

    /**
     * What was tried.
     *
     * @return the operation, never null.
     */
    public String operation() {
        return operation;
    }

    /**
     * The errno of the failure, in Linux' numbering.
     *
     * @return a positive errno such as {@link #EINVAL}, or 0 where none applies.
     */
    public int errno() {
        return errno;
    }

    /**
     * What to do about it.
     *
     * @return one sentence, or null where there is nothing useful to say.
     */
    public String hint() {
        return hint;
    }

    /** Collects the parts of the message. Not thread-safe; used where it is made. */
    public static final class Builder {
        private final String operation;
        private String device;
        private String object;
        private String detail;
        private int errno;
        private String hint;
        private Throwable cause;

        private Builder(final String operation) {
            this.operation = operation;
        }

        /**
         * Names the device.
         *
         * @param address the device address; its {@code toString()} is used; may be null.
         * @return this.
         */
        public Builder device(final Object address) {
            this.device = address == null ? null : address.toString();
            return this;
        }

        /**
         * Names the object that the operation was called on or with.
         *
         * @param name the object, printable; may be null.
         * @return this.
         */
        public Builder object(final Object name) {
            this.object = name == null ? null : name.toString();
            return this;
        }

        /**
         * Says what is wrong: the value and the limit that it breaks.
         *
         * @param format a {@link String#format} pattern.
         * @param args   its arguments.
         * @return this.
         */
        public Builder detail(final String format, final Object... args) {
            this.detail = args.length == 0 ? format : String.format(Locale.ROOT, format, args);
            return this;
        }

        /**
         * Sets the errno.
         *
         * @param value a positive errno.
         * @return this.
         */
        public Builder errno(final int value) {
            this.errno = value;
            return this;
        }

        /**
         * Says what the reader can do.
         *
         * @param format a {@link String#format} pattern.
         * @param args   its arguments.
         * @return this.
         */
        public Builder hint(final String format, final Object... args) {
            this.hint = args.length == 0 ? format : String.format(Locale.ROOT, format, args);
            return this;
        }

        /**
         * Sets the cause.
         *
         * @param throwable what was caught; may be null.
         * @return this.
         */
        public Builder cause(final Throwable throwable) {
            this.cause = throwable;
            return this;
        }

        /**
         * Makes the exception.
         *
         * @return a new exception, to be thrown by the caller.
         */
        public RdmaException build() {
            return new RdmaException(this);
        }

        private String message() {
            final StringBuilder text = new StringBuilder(operation).append(" failed");
            if (device != null) {
                text.append(" on '").append(device).append('\'');
            }
            if (object != null) {
                text.append(" (").append(object).append(')');
            }
            if (detail != null) {
                text.append(": ").append(detail);
            }
            if (errno != 0) {
                text.append(" [").append(errnoName(errno)).append(']');
            }
            if (hint != null) {
                text.append("; ").append(hint);
            }
            return text.toString();
        }
    }

    /**
     * The name of an errno.
     *
     * @param errno a positive errno, in Linux' numbering.
     * @return its C name, or {@code "errno N"} for a number that Linux does not use.
     */
    public static String errnoName(final int errno) {
        return ErrnoNames.of(errno);
    }
}
