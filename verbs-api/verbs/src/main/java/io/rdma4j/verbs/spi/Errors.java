/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

/** Makes the exceptions of providers, all of one form. */
public final class Errors {
    private Errors() {
    }

    /**
     * An argument that makes no sense.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param format    what is wrong, as for {@link String#format}.
     * @param args      its arguments.
     * @return EINVAL, to be thrown.
     */
    public static RdmaException invalid(
        final String operation, final RdmaContext context, final String format, final Object... args) {
        return error(RdmaException.EINVAL, operation, context, format, args);
    }

    /**
     * Any failure.
     *
     * @param errno     positive.
     * @param operation what was tried.
     * @param context   the device.
     * @param format    what is wrong, as for {@link String#format}.
     * @param args      its arguments.
     * @return to be thrown.
     */
    public static RdmaException error(
        final int errno, final String operation, final RdmaContext context, final String format,
        final Object... args) {
        return RdmaException.of(operation).device(context.address()).detail(format, args).errno(errno).build();
    }

    /**
     * Something that the device lacks.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param feature   what it lacks.
     * @return EOPNOTSUPP, to be thrown.
     */
    public static RdmaException unsupported(
        final String operation, final RdmaContext context, final Feature feature) {
        return error(RdmaException.EOPNOTSUPP, operation, context, "no %s: %s", feature, context.whyNot(feature));
    }

    /**
     * Something is closed.
     *
     * @param operation what was tried.
     * @param context   the device.
     * @param what      is closed.
     * @return EBADFD, to be thrown.
     */
    public static RdmaException closed(final String operation, final RdmaContext context, final Object what) {
        return error(RdmaException.EBADFD, operation, context, "%s is closed", what);
    }

    /**
     * Refuses null.
     *
     * @param <T>       type of the value.
     * @param value     any.
     * @param operation what was tried.
     * @param context   the device.
     * @param name      of the value.
     * @return the value.
     * @throws RdmaException EINVAL if it is null.
     */
    public static <T> T notNull(
        final T value, final String operation, final RdmaContext context, final String name) {
        if (value == null) {
            throw invalid(operation, context, "%s is null", name);
        }
        return value;
    }

    /**
     * Refuses what is out of range.
     *
     * @param value     any.
     * @param min       smallest that is allowed.
     * @param max       largest.
     * @param operation what was tried.
     * @param context   the device.
     * @param name      of the value.
     * @throws RdmaException EINVAL if it is out of range.
     */
    public static void inRange(
        final long value, final long min, final long max, final String operation, final RdmaContext context,
        final String name) {
        if (value < min || value > max) {
            throw invalid(operation, context, "%s is %d, allowed are %d to %d", name, value, min, max);
        }
    }

    /**
     * Refuses a port that is not there.
     *
     * @param port      its number.
     * @param operation what was tried.
     * @param context   the device.
     * @throws RdmaException EINVAL if there is no such port.
     */
    public static void requirePort(final int port, final String operation, final RdmaContext context) {
        inRange(port, 1, context.attributes().physicalPortCount(), operation, context, "port");
    }

    /**
     * Refuses a place that the GID tables do not have.
     *
     * @param index     in the table.
     * @param operation what was tried.
     * @param context   the device.
     * @throws RdmaException EINVAL if there is no such place.
     */
    public static void requireGidIndex(final int index, final String operation, final RdmaContext context) {
        inRange(index, 0, context.attributes().gidTableLength() - 1, operation, context, "GID index");
    }
}
