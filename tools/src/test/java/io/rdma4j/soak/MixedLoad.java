/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Mixed load between this process and a partner, which is killed now and then. What is done follows from the seed, but
 * for what threads and lost packets change. One thread.
 */
final class MixedLoad implements AutoCloseable {
    private static final int MOST_LINKS = 6;
    private static final int FEWEST_STEPS = 1_000;
    private static final int MOST_STEPS = 8_000;
    /** So that what buffers without an owner hold is as much at all times, however fast the machine is. */
    private static final int COLLECTS_EACH = 500;

    private final SplittableRandom random;
    private final RdmaContext context;
    private final ProtectionDomain pd;
    private final Function<String, Partner> starts;
    private final String[] partners;
    private final List<SoakLink> links = new ArrayList<>();
    private RegionLoad regions;
    private FabricLoad datagrams;
    private SoakLink probe;
    private Partner partner;
    private int untilKill;
    private long names;
    private long steps;
    private long kills;
    private long lost;
    private long unfounded;
    private boolean open;

    /**
     * Begins.
     *
     * @param context  the own device.
     * @param partners devices of partners; each life is on any of them.
     * @param starts   a partner on a device.
     * @param seed     any.
     */
    MixedLoad(
        final RdmaContext context, final String[] partners, final Function<String, Partner> starts, final long seed) {
        this.context = context;
        this.partners = partners.clone();
        this.starts = starts;
        random = new SplittableRandom(seed);
        pd = context.allocatePd();
        regions = new RegionLoad(pd);
        datagrams = new FabricLoad(context);
        born();
    }

    long steps() {
        return steps;
    }

    long kills() {
        return kills;
    }

    /** Datagrams that did not come back. */
    long lost() {
        return lost + links.stream().mapToLong(SoakLink::lost).sum();
    }

    /** Connections that were given up though nobody was killed: a processor was not to be had for seconds. */
    long unfounded() {
        return unfounded;
    }

    private void born() {
        partner = starts.apply(partners[random.nextInt(partners.length)]);
        untilKill = random.nextInt(FEWEST_STEPS, MOST_STEPS);
        open();
    }

    private void open() {
        datagrams.meet(partner);
        probe = link(QpType.RC);
        open = true;
    }

    private SoakLink link(final QpType type) {
        return new SoakLink(pd, partner, "link" + names++, type);
    }

    /** Something, and what was right is looked at. */
    void step() {
        steps++;
        try {
            switch (random.nextInt(20)) {
                case 0 -> change();
                case 1, 2, 3, 4 -> regions.step(random);
                case 5, 6, 7, 8, 9, 10 -> datagrams.step(random);
                default -> {
                    if (links.isEmpty()) {
                        change();
                    } else {
                        links.get(random.nextInt(links.size())).step(random);
                    }
                }
            }
        } catch (final PeerGone gone) {
            again(gone);
        }
        if (steps % COLLECTS_EACH == 0) {
            Holding.collect();
        }
        if (untilKill-- == 0) {
            kill();
        }
    }

    /** Connections come and go. */
    private void change() {
        if (links.size() < MOST_LINKS && random.nextInt(3) > 0) {
            links.add(link(random.nextInt(4) == 0 ? QpType.UD : QpType.RC));
        } else if (!links.isEmpty()) {
            final SoakLink link = links.remove(random.nextInt(links.size()));
            lost += link.lost();
            link.closeBoth();
        }
    }

    /** Nanoseconds of an operation that is always the same. */
    long probe() {
        while (true) {
            try {
                return probe.probe();
            } catch (final PeerGone gone) {
                again(gone);
            }
        }
    }

    /** Its partner lives, and still a connection was given up. */
    private void again(final PeerGone gone) {
        unfounded++;
        System.out.println("soak: " + gone.getMessage() + ", though nobody was killed");
        settle();
        resume();
    }

    /** The partner dies, with something under way before or afterwards; then there is another one. */
    void kill() {
        kills++;
        final boolean early = random.nextBoolean();
        if (early) {
            leaveUnderWay();
        }
        partner.kill();
        if (!early || random.nextBoolean()) {
            leaveUnderWay();
        }
        links.forEach(SoakLink::awaitEnds);
        probe.awaitEnds();
        datagrams.awaitEnds();
        links.forEach(SoakLink::close);
        lost += links.stream().mapToLong(SoakLink::lost).sum();
        links.clear();
        probe.close();
        datagrams.leave(false);
        born();
    }

    private void leaveUnderWay() {
        links.forEach(link -> link.leaveUnderWay(random));
        probe.leaveUnderWay(random);
        datagrams.leaveUnderWay(random);
    }

    /** Closes what comes and goes; what is there then is there always. */
    void settle() {
        if (open) {
            open = false;
            lost += links.stream().mapToLong(SoakLink::lost).sum();
            links.forEach(SoakLink::closeBoth);
            links.clear();
            probe.closeBoth();
            regions.close();
            datagrams.leave(true);
            datagrams.close();
        }
    }

    /** After {@link #settle}. */
    void resume() {
        regions = new RegionLoad(pd);
        datagrams = new FabricLoad(context);
        open();
    }

    Holding holding() {
        // Rings that were closed rest until the next one is made or closed.
        context.createCq(1).close();
        return Holding.of(context);
    }

    @Override
    public void close() {
        settle();
        partner.close();
        pd.close();
    }
}
