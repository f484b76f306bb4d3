/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EINVAL;
import static io.rdma4j.RdmaException.ENOMEM;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Protection domains and address handles, and how many of each kind of object a device has. */
final class DomainCases {
    private static final int TOO_MANY_TO_TRY = 1100;
    private static final int FEW = 600;
    private static final int MOST_TURNS = 64;
    /** A table's first place, which a device may not use, and what is there already: of the case, or of the kernel. */
    private static final int NOT_HERE = 2;

    private DomainCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("pd.opensAndClosesAgainAndAgain", DomainCases::pdCycles),
            ConformanceCase.of("pd.manyAtOnce", DomainCases::pdMany),
            ConformanceCase.of("pd.closesTwiceWithoutHarm", DomainCases::pdClosesTwice),
            ConformanceCase.of("pd.refusesEverythingOnceClosed", DomainCases::pdRefusesOnceClosed),
            ConformanceCase.of("pd.closesWhatWasMadeFromIt", DomainCases::pdClosesChildren),
            ConformanceCase.of("ah.leadsToItsAttributes", DomainCases::ahLeads),
            ConformanceCase.of("ah.closesTwiceWithoutHarm", DomainCases::ahClosesTwice),
            ConformanceCase.of("ah.refusesWaysThatLeadNowhere", DomainCases::ahRefuses),
            ConformanceCase.of("limit.pd", DomainCases::pdLimit).within(Duration.ofSeconds(60)),
            ConformanceCase.of("limit.cq", DomainCases::cqLimit).within(Duration.ofSeconds(60)),
            ConformanceCase.of("limit.mr", DomainCases::mrLimit).within(Duration.ofSeconds(60)),
            ConformanceCase.of("limit.qp", DomainCases::qpLimit).within(Duration.ofSeconds(60)),
            ConformanceCase.of("limit.srq", DomainCases::srqLimit).within(Duration.ofSeconds(60)),
            ConformanceCase.of("limit.ah", DomainCases::ahLimit).within(Duration.ofSeconds(60)));
    }

    private static void pdCycles(final ConformanceEnv env) {
        for (int i = 0; i < 200; i++) {
            env.device().allocatePd().close();
        }
    }

    private static void pdMany(final ConformanceEnv env) {
        final int count = Math.min(env.device().attributes().maxPd(), 200);
        for (int i = 0; i < count; i++) {
            env.own(env.device().allocatePd());
        }
    }

    private static void pdClosesTwice(final ConformanceEnv env) {
        final ProtectionDomain pd = env.device().allocatePd();
        Check.that(!pd.isClosed(), "closed too early");
        pd.close();
        Check.that(pd.isClosed(), "not closed");
        final ProtectionDomain other = env.own(env.device().allocatePd());
        pd.close();
        Check.that(!other.isClosed(), "the second close hit another domain");
        env.own(other.createQp(Node.near(env, 8).options(4, 1))).close();
    }

    private static void pdRefusesOnceClosed(final ConformanceEnv env) {
        final Node node = Node.near(env, 8);
        final ProtectionDomain pd = env.device().allocatePd();
        final Memory memory = node.memory(4096);
        pd.close();
        Check.refused(EBADFD, () -> pd.register(memory.pinned(), AccessFlag.LOCAL_WRITE), "register", "closed");
        Check.refused(EBADFD, () -> pd.createQp(node.options(4, 1)), "create QP", "closed");
        Check.refused(EBADFD, () -> pd.createSrq(4, 1), "create SRQ", "closed");
        Check.refused(EBADFD, () -> pd.createAh(AhAttributes.to(env.peer().queryGid(1, 0))), "create AH", "closed");
        Check.equal(env.device(), pd.context(), "context of a closed domain");
    }

    private static void pdClosesChildren(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        final Memory memory = node.memory(4096);
        final ProtectionDomain pd = env.device().allocatePd();
        final QueuePair qp = pd.createQp(node.options(4, 1));
        final AddressHandle ah = pd.createAh(AhAttributes.to(env.peer().queryGid(1, 0)));
        final var region = pd.register(memory.pinned(), AccessFlag.LOCAL_WRITE);
        final SharedReceiveQueue srq = env.device().attributes().maxSrq() == 0 ? null : pd.createSrq(4, 1);
        final QueuePair taker = srq == null ? null : pd.createQp(node.options(4, 1).srq(srq));
        pd.close();
        Check.that(qp.isClosed() && ah.isClosed() && region.isClosed(), "QP, AH or region is still open");
        Check.that(srq == null || srq.isClosed() && taker.isClosed(), "SRQ or its QP is still open");
        node.sendCq().close();
        node.receiveCq().close();
    }

    private static void ahLeads(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final AhAttributes way = new AhAttributes(env.peer().queryGid(1, 0), 0, 17, 3, 0xabcde, 1, 1);
        final AddressHandle ah = env.own(pd.createAh(way));
        Check.equal(way, ah.attributes(), "attributes of the handle");
        Check.equal(pd, ah.pd(), "domain of the handle");
    }

    private static void ahClosesTwice(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final AddressHandle ah = pd.createAh(AhAttributes.to(env.peer().queryGid(1, 0)));
        ah.close();
        ah.close();
        Check.that(ah.isClosed(), "not closed");
    }

    private static void ahRefuses(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final Gid gid = env.peer().queryGid(1, 0);
        final int unbound = env.device().attributes().gidTableLength() - 1;
        refuseAh(pd, AhAttributes.to(Gid.ZERO), "to the zero GID");
        refuseAh(pd, AhAttributes.to(Gid.parse("ff02::1")), "to a multicast GID");
        refuseAh(pd, new AhAttributes(gid, unbound, 64, 0, 0, 0, 1), "from an unbound index");
        refuseAh(pd, new AhAttributes(gid, unbound + 1, 64, 0, 0, 0, 1), "from an index behind the table");
        refuseAh(pd, new AhAttributes(gid, -1, 64, 0, 0, 0, 1), "from index -1");
        refuseAh(pd, new AhAttributes(gid, 0, 64, 0, 0, 0, 0), "from port 0");
        refuseAh(pd, new AhAttributes(gid, 0, 64, 0, 0, 0, 2 + env.device().attributes().physicalPortCount()),
            "from a port that is not there");
        refuseAh(pd, new AhAttributes(gid, 0, 256, 0, 0, 0, 1), "with hop limit 256");
        refuseAh(pd, new AhAttributes(gid, 0, 64, 256, 0, 0, 1), "with traffic class 256");
        refuseAh(pd, new AhAttributes(gid, 0, 64, 0, 1 << 20, 0, 1), "with a flow label of 21 bits");
    }

    private static void refuseAh(final ProtectionDomain pd, final AhAttributes way, final String what) {
        Check.refused(EINVAL, () -> pd.createAh(way), "address handle " + what);
    }

    private static void pdLimit(final ConformanceEnv env) {
        exhaust(env, env.device().attributes().maxPd(), () -> env.device().allocatePd(), "max_pd", TOO_MANY_TO_TRY);
    }

    private static void cqLimit(final ConformanceEnv env) {
        exhaust(env, env.device().attributes().maxCq(), () -> env.device().createCq(1), "max_cq", FEW);
    }

    private static void mrLimit(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final var memory = env.own(env.device().allocate(4096));
        exhaust(env, env.device().attributes().maxMr(), () -> pd.register(memory, AccessFlag.LOCAL_WRITE), "max_mr",
            FEW);
    }

    private static void qpLimit(final ConformanceEnv env) {
        final int max = env.device().attributes().maxQp();
        final int cqe = 2 * Integer.highestOneBit(Math.min(max, TOO_MANY_TO_TRY));
        final Node node = Node.near(env, Math.min(cqe, env.device().attributes().maxCqe()));
        exhaust(env, max, () -> node.pd().createQp(node.options(1, 1)), "max_qp", FEW);
    }

    private static void srqLimit(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        exhaust(env, env.device().attributes().maxSrq(), () -> pd.createSrq(1, 1), "max_srq", FEW);
    }

    private static void ahLimit(final ConformanceEnv env) {
        final ProtectionDomain pd = env.own(env.device().allocatePd());
        final AhAttributes way = AhAttributes.to(env.peer().queryGid(1, 0));
        exhaust(env, env.device().attributes().maxAh(), () -> pd.createAh(way), "max_ah", FEW);
    }

    /** Creates all there are; one more is refused by the driver; after one was closed there is room for one again. */
    private static void exhaust(
        final ConformanceEnv env, final int limit, final Supplier<AutoCloseable> create, final String name,
        final int mostIfQuick) {
        if (limit == 0) {
            throw env.skip("the device has none: %s is 0", name);
        }
        if (limit > env.times(mostIfQuick, TOO_MANY_TO_TRY)) {
            throw env.skip("%s is %d: too many to create them all in this run", name, limit);
        }
        final List<AutoCloseable> all = new ArrayList<>();
        final RdmaException full = fill(env, limit + 1, create, all);
        Check.that(full != null, "%d objects were created, %s is %d", all.size(), name, limit);
        Check.that(all.size() >= limit - NOT_HERE, "only %d of %s %d could be created: %s", all.size(), name, limit,
            full.getMessage());
        Check.equal(ENOMEM, full.errno(), "errno of '%s'", full.getMessage());
        Check.that(full.getMessage().contains(String.valueOf(limit)), "the limit %d is not in: %s", limit,
            full.getMessage());
        // The oldest first: numbers of what was closed come back in every order that a device may have.
        final int turns = Math.min(2 * all.size(), MOST_TURNS);
        for (int i = 0; i < turns; i++) {
            close(all.remove(i % 3 == 0 ? all.size() - 1 : 0));
            all.add(env.own(create.get()));
            Check.refused(ENOMEM, () -> env.own(create.get()),
                "one more than " + limit + ", after " + (i + 1) + " were closed");
        }
    }

    private static RdmaException fill(
        final ConformanceEnv env, final int most, final Supplier<AutoCloseable> create,
        final List<AutoCloseable> all) {
        try {
            for (int i = 0; i < most; i++) {
                all.add(env.own(create.get()));
            }
            return null;
        } catch (final RdmaException e) {
            return e;
        }
    }

    private static void close(final AutoCloseable object) {
        try {
            object.close();
        } catch (final RdmaException e) {
            throw e;
        } catch (final Exception e) {
            throw new AssertionError("closing failed", e);
        }
    }
}
