/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.base.Numbers;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Services, counted up from the first one (fi_av_insertsym; checklist 84): numbers from 1 to 65535, or queue pair
 * numbers of the device itself. Immutable.
 */
public final class ServiceRange {
    /** Services that there are. */
    public static final int MAX = 0xffff;
    private static final int MAX_QPN = 0xff_ffff;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
    private static final Pattern QUEUE_PAIR =
        Pattern.compile("qpn:(" + Numbers.FORM + ")(?:/(" + Numbers.FORM + "))?");

    private final int first;
    private final int count;
    private final boolean queuePairs;
    private final int qkey;

    private ServiceRange(final int first, final int count, final boolean queuePairs, final int qkey) {
        this.first = first;
        this.count = count;
        this.queuePairs = queuePairs;
        this.qkey = qkey;
    }

    /**
     * Checks and keeps a range.
     *
     * @param first number of a service, a name of /etc/services, or {@code qpn:17} or {@code qpn:17/0x1ee7}.
     * @param count how many, 0 or more.
     * @return the range.
     * @throws FabricException FI_EINVAL for null, a negative count, a number that there is not, and ranges that lead
     *                         past the last one; FI_ENODATA for a name that is not in /etc/services.
     */
    public static ServiceRange of(final String first, final int count) {
        return of(first, count, ServiceNames.system());
    }

    static ServiceRange of(final String first, final int count, final ServiceNames names) {
        if (first == null || first.isBlank()) {
            throw bad("the service is '%s'", first);
        }
        if (count < 0) {
            throw bad("%d services, from %s: the number is negative", count, first);
        }
        final Matcher pair = QUEUE_PAIR.matcher(first);
        if (pair.matches()) {
            final long qkey = pair.group(2) == null ? 0 : Numbers.parse(pair.group(2));
            return range(first, Numbers.parse(pair.group(1)), count, true, qkey);
        }
        final long number = NUMBER.matcher(first).matches() ? Long.parseLong(first) : names.number(first);
        return range(first, number, count, false, 0);
    }

    private static ServiceRange range(
        final String text, final long first, final int count, final boolean queuePairs, final long qkey) {
        final int least = queuePairs ? 0 : 1;
        final int most = queuePairs ? MAX_QPN : MAX;
        if (first < least || first > most || count > 0 && first + count - 1 > most) {
            throw bad("%d services from '%s' are not all from %d to %d", count, text, least, most);
        }
        if (qkey > 0xffff_ffffL) {
            throw bad("the queue key of '%s' has more than 32 bits", text);
        }
        return new ServiceRange((int) first, count, queuePairs, (int) qkey);
    }

    /**
     * How many services.
     *
     * @return 0 or more.
     */
    public int count() {
        return count;
    }

    /**
     * Whether it counts queue pairs of the device; then nobody is to be asked.
     *
     * @return false for services.
     */
    public boolean isQueuePairs() {
        return queuePairs;
    }

    /**
     * The queue key of queue pairs.
     *
     * @return 0 for none.
     */
    public int qkey() {
        return qkey;
    }

    /**
     * One service.
     *
     * @param index 0 to count - 1.
     * @return its number.
     */
    public int number(final int index) {
        if (index < 0 || index >= count) {
            throw bad("service %d of %d is asked for", index, count);
        }
        return first + index;
    }

    private static FabricException bad(final String format, final Object... values) {
        return NameFailures.of("count services up", FiErrno.FI_EINVAL,
            "services are 1 to 65535, names of /etc/services, or qpn:17/0x1ee7", format, values);
    }
}
