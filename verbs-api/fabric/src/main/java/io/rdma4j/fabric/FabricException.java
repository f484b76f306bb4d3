/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import io.rdma4j.RdmaException;

import java.util.IllegalFormatException;
import java.util.Locale;

/**
 * The one exception of the fabric interfaces: which operation failed, on what, with which values and limits, the
 * fabric errno, and what to do. Operations of the data path return codes instead.
 */
public final class FabricException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String operation;
    private final int errno;

    private FabricException(final Builder builder) {
        super(builder.message(), builder.cause);
        operation = builder.operation;
        errno = builder.errno;
    }

    /**
     * Begins the description of a failure.
     *
     * @param operation what was tried, such as {@code "register memory"}.
     * @return a builder; call {@link Builder#build()} last.
     */
    public static Builder of(final String operation) {
        return new Builder(operation);
    }

    /**
     * A failure of the layer below, in the words of this one.
     *
     * @param operation what was tried.
     * @param cause     what went wrong below; its errno is kept, EIO stands for none.
     * @return the exception.
     * @throws FabricException FI_EINVAL without a cause.
     */
    public static FabricException from(final String operation, final RdmaException cause) {
        Arguments.notNull(operation, "cause", cause);
        return of(operation).detail("%s", cause.getMessage())
            .errno(cause.errno() == 0 ? FiErrno.FI_EIO : cause.errno()).cause(cause).build();
    }

    /**
     * What was tried.
     *
     * @return the operation.
     */
    public String operation() {
        return operation;
    }

    /**
     * The fabric errno.
     *
     * @return a positive number of {@link FiErrno}.
     */
    public int errno() {
        return errno;
    }

    /** Collects what is known of a failure. Not thread-safe. */
    public static final class Builder {
        private final String operation;
        private String detail = "";
        private int errno = FiErrno.FI_EOTHER;
        private String hint;
        private Throwable cause;

        private Builder(final String operation) {
            this.operation = operation;
        }

        /**
         * Object, values and limits.
         *
         * @param format as of {@link String#format}.
         * @param values for the format.
         * @return this.
         * @throws FabricException        FI_EINVAL without a format.
         * @throws IllegalFormatException if the values do not fit the format.
         */
        public Builder detail(final String format, final Object... values) {
            detail = String.format(Locale.ROOT, Arguments.notNull(operation, "format", format), values);
            return this;
        }

        /**
         * The error.
         *
         * @param number of {@link FiErrno}, positive.
         * @return this.
         */
        public Builder errno(final int number) {
            errno = number;
            return this;
        }

        /**
         * What to do about it.
         *
         * @param text one sentence without a full stop.
         * @return this.
         */
        public Builder hint(final String text) {
            hint = text;
            return this;
        }

        /**
         * What went wrong below.
         *
         * @param throwable the cause.
         * @return this.
         */
        public Builder cause(final Throwable throwable) {
            cause = throwable;
            return this;
        }

        /**
         * Makes the exception.
         *
         * @return to be thrown.
         */
        public FabricException build() {
            return new FabricException(this);
        }

        private String message() {
            return operation + ": " + detail + " (" + FiErrno.name(errno) + ")" + (hint == null ? "" : "; " + hint);
        }
    }
}
