/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.av.Runs.Run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs that are being changed. Not thread-safe. */
final class RunList {
    /** More are slower to search, and to change one after the other, than they save. */
    static final int MOST_RUNS = 1024;
    static final int MOST_WAYS = 64;

    private Run[] runs = new Run[8];
    private int count;
    private List<Progression> ways = new ArrayList<>();
    /** The run at this index is being added to: it goes on up to here, and is told so by {@link #settle}. */
    private int growing = -1;
    private Run tail;
    private int tailTo;

    /** False if its device address is there already, or it would need too many runs; then nothing was added. */
    boolean add(final int place, final int life, final CountedAddress address) {
        if (growing < 0 || place != tailTo) {
            settle();
            openBefore(place);
        }
        return !hasDevice(place, address) && grow(place, life, address);
    }

    private boolean grow(final int place, final int life, final CountedAddress address) {
        return growing >= 0 && tail.life() == life && extend(place, address) || begin(place, life, address);
    }

    private void openBefore(final int place) {
        final int index = -2 - Runs.indexOf(runs, count, place);
        if (index >= 0 && runs[index].to() == place) {
            growing = index;
            tail = runs[index];
            tailTo = place;
        }
    }

    private boolean extend(final int place, final CountedAddress address) {
        final Progression way = tail.way();
        final Progression more = tail.from() == way.origin() ? way.with(place, address)
            : way.matches(place, address) ? way : null;
        if (more == null) {
            return false;
        }
        if (more != way) {
            learned(way, more);
            tail = new Run(tail.from(), tailTo, tail.life(), more);
        }
        tailTo++;
        return true;
    }

    /** A progression says more now, for one run. */
    private void learned(final Progression way, final Progression more) {
        for (int i = 0; i < count; i++) {
            if (i != growing && runs[i].way() == way) {
                ways.add(more);
                return;
            }
        }
        ways.set(ways.indexOf(way), more);
    }

    private boolean begin(final int place, final int life, final CountedAddress address) {
        settle();
        Progression way = null;
        for (int i = 0; i < ways.size() && way == null; i++) {
            way = ways.get(i).matches(place, address) ? ways.get(i) : null;
        }
        if (count == MOST_RUNS || way == null && ways.size() >= MOST_WAYS) {
            return false;
        }
        if (way == null) {
            way = Progression.of(place, address);
            ways.add(way);
        }
        final int index = -1 - Runs.indexOf(runs, count, place);
        replace(index, 0, new Run(place, place + 1, life, way));
        growing = index;
        tail = runs[index];
        tailTo = place + 1;
        return true;
    }

    /** False if it would need too many runs; then it is still there. */
    boolean remove(final int place) {
        settle();
        final int index = Runs.indexOf(runs, count, place);
        final Run run = runs[index];
        final boolean isFirst = run.from() == place;
        final boolean isLast = run.to() == place + 1;
        if (!isFirst && !isLast && count == MOST_RUNS) {
            return false;
        }
        final Run before = new Run(run.from(), place, run.life(), run.way());
        final Run behind = new Run(place + 1, run.to(), run.life(), run.way());
        if (isFirst && isLast) {
            replace(index, 1);
        } else if (isFirst) {
            replace(index, 1, behind);
        } else if (isLast) {
            replace(index, 1, before);
        } else {
            replace(index, 1, before, behind);
        }
        return true;
    }

    private void replace(final int index, final int old, final Run... with) {
        final int more = with.length - old;
        if (count + more > runs.length) {
            runs = Arrays.copyOf(runs, 2 * runs.length);
        }
        System.arraycopy(runs, index + old, runs, index + with.length, count - index - old);
        System.arraycopy(with, 0, runs, index, with.length);
        count += more;
        Arrays.fill(runs, count, Math.max(count, count - more), null);
    }

    private void settle() {
        if (growing >= 0) {
            runs[growing] = new Run(tail.from(), tailTo, tail.life(), tail.way());
            growing = -1;
        }
    }

    /** The run of a place; null if there is none. */
    Run at(final int place) {
        settle();
        final int index = Runs.indexOf(runs, count, place);
        return index < 0 ? null : runs[index];
    }

    /** Whether another place has it. */
    private boolean hasDevice(final int place, final CountedAddress address) {
        for (int i = 0; i < ways.size(); i++) {
            final Progression way = ways.get(i);
            // Within a progression all are different.
            final boolean next = growing >= 0 && tail.way() == way && way.matches(place, address);
            final long same = next ? -1 : way.placeOf(address.gidHigh, address.gidLow, (int) address.qpn);
            if (same >= 0 && same != place && isAt((int) same, way)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the address of a place can be removed, and another one be added there. */
    boolean canMove(final int place, final CountedAddress to) {
        settle();
        return count + 2 <= MOST_RUNS && ways.size() < MOST_WAYS && !hasDevice(place, to);
    }

    private boolean isAt(final int place, final Progression way) {
        if (growing >= 0 && tail.way() == way && place >= tail.from() && place < tailTo) {
            return true;
        }
        final int index = Runs.indexOf(runs, count, place);
        return index >= 0 && index != growing && runs[index].way() == way;
    }

    /** As it is now, for others. */
    Runs publish() {
        settle();
        final List<Progression> used = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final Progression way = runs[i].way();
            // Runs of one progression mostly follow each other.
            if ((used.isEmpty() || used.get(used.size() - 1) != way) && !used.contains(way)) {
                used.add(way);
            }
        }
        ways = used;
        return new Runs(Arrays.copyOf(runs, count), used.toArray(new Progression[0]));
    }
}
