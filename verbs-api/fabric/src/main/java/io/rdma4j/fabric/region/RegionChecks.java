/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.verbs.PageList;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** Looks at what is to be registered, without touching the memory or the device (checklist 1-17). */
final class RegionChecks {
    private static final String OPERATION = Refusals.REGISTER;
    private static final Set<MrFlag> NEED_HMEM =
        EnumSet.of(MrFlag.HMEM_DEVICE_ONLY, MrFlag.HMEM_HOST_ALLOC, MrFlag.DMABUF);

    private final RegionRules rules;
    private final HmemChecks hmem;
    private final PageSizes pageSizes;

    RegionChecks(final RegionRules rules, final HmemChecks hmem, final PageSizes pageSizes) {
        this.rules = rules;
        this.hmem = hmem;
        this.pageSizes = pageSizes;
    }

    RegionPlan check(final MrAttributes attributes) {
        Refusals.notNull(OPERATION, "attributes", attributes);
        final Set<MrFlag> flags = copy(attributes.flagSet(), MrFlag.class);
        final Set<MrAccess> access = copy(attributes.accessRights(), MrAccess.class);
        checkFlags(flags);
        checkAccess(access);
        checkReserved(attributes);
        final boolean dmabuf = flags.contains(MrFlag.DMABUF);
        checkSource(attributes, dmabuf);
        pageSizes.check(attributes.pageSize());
        if (rules.hmem) {
            hmem.check(attributes.iface(), attributes.device(), flags);
        }
        final RegionPlan plan = new RegionPlan(dmabuf ? null : buffers(attributes), dmabuf ? attributes.dmabuf() : null,
            access, flags, attributes.requestedKey(), attributes.authKey(), attributes.context(), rules);
        if (!dmabuf) {
            checkWritable(plan, attributes);
        }
        return plan;
    }

    /** A view that Java does not let be written to; what the system does not let is found when pages are looked at. */
    private static void checkWritable(final RegionPlan plan, final MrAttributes attributes) {
        if (!plan.isWritten()) {
            return;
        }
        for (final MrAttributes.Piece piece : attributes.buffers()) {
            if (piece.owner() instanceof ByteBuffer && ((ByteBuffer) piece.owner()).isReadOnly()) {
                throw Refusals.of(FiErrno.FI_EFAULT, OPERATION, "%s is read-only, access is %s", piece.owner(),
                    plan.access())
                    .hint("register the buffer that it is a view of; or leave RECV, READ and REMOTE_WRITE out").build();
            }
        }
    }

    private RegionBuffers buffers(final MrAttributes attributes) {
        final RegionBuffers buffers = RegionBuffers.of(attributes.buffers(), rules);
        buffers.checkLength(rules.maxLength);
        return buffers;
    }

    private static <E extends Enum<E>> Set<E> copy(final Set<E> set, final Class<E> type) {
        final EnumSet<E> copy = EnumSet.noneOf(type);
        copy.addAll(set);
        return Collections.unmodifiableSet(copy);
    }

    private void checkFlags(final Set<MrFlag> flags) {
        for (final MrFlag flag : flags) {
            final String why = whyNot(flag);
            if (why != null) {
                throw Refusals.of(FiErrno.FI_EBADFLAGS, OPERATION, "flag %s: %s", flag, why).build();
            }
        }
        if (flags.contains(MrFlag.HMEM_DEVICE_ONLY) && flags.contains(MrFlag.HMEM_HOST_ALLOC)) {
            throw Refusals.of(FiErrno.FI_EBADFLAGS, OPERATION,
                "HMEM_DEVICE_ONLY and HMEM_HOST_ALLOC contradict each other").build();
        }
    }

    private String whyNot(final MrFlag flag) {
        if (flag == MrFlag.AUTH_KEY && !rules.avAuthKeys) {
            return "the domain has no authorization keys of address vectors (FI_AV_AUTH_KEY)";
        }
        if (NEED_HMEM.contains(flag) && !rules.hmem) {
            return "the domain was opened without Capability.HMEM";
        }
        if (flag == MrFlag.RMA_PMEM && !rules.pmem) {
            return "the domain was opened without Capability.RMA_PMEM";
        }
        return flag == MrFlag.RMA_EVENT && !rules.counts ? RegionRules.WHY_NO_COUNTS : null;
    }

    private static void checkAccess(final Set<MrAccess> access) {
        if (access.isEmpty()) {
            throw Refusals.invalid(OPERATION, "no access is asked for").hint("use MrAttributes.access").build();
        }
        if (access.contains(MrAccess.COLLECTIVE) && !access.contains(MrAccess.SEND)
            && !access.contains(MrAccess.RECV)) {
            throw Refusals.invalid(OPERATION, "access %s has COLLECTIVE without SEND or RECV", access).build();
        }
    }

    private static void checkReserved(final MrAttributes attributes) {
        if (attributes.offset() != 0) {
            throw Refusals.invalid(OPERATION, "offset is %d, it is reserved and must be 0", attributes.offset())
                .build();
        }
        if (attributes.hmemData() != null) {
            throw Refusals.invalid(OPERATION, "hmemData is reserved and must be null").build();
        }
    }

    private void checkSource(final MrAttributes attributes, final boolean dmabuf) {
        if (dmabuf && (attributes.dmabuf() == null || !attributes.buffers().isEmpty())) {
            throw source("flag DMABUF, and %s", attributes.dmabuf() == null ? "no dma-buf" : "buffers, too");
        }
        if (!dmabuf && attributes.dmabuf() != null) {
            throw source("a dma-buf is given, and flag DMABUF is not");
        }
        if (dmabuf) {
            checkDmaBuf(attributes.dmabuf());
        }
    }

    private void checkDmaBuf(final MrAttributes.DmaBufRange range) {
        final long base = range.baseAddress();
        if (range.length() < 1 || range.offset() < 0) {
            throw Refusals.invalid(OPERATION, "%s: the length must be above 0, the offset 0 or more", range).build();
        }
        if (base % PageList.PAGE_SIZE != 0) {
            throw Refusals.invalid(OPERATION, "%s: the base address 0x%x is not page-aligned", range, base)
                .hint("pass the address at which the dma-buf itself is mapped, or 0").build();
        }
        if (Long.compareUnsigned(base + range.offset() + range.length() - 1, base) < 0) {
            throw Refusals.invalid(OPERATION, "%s wraps around", range).build();
        }
        if (rules.virtAddr && rules.provKey && !rules.iovaOfChoice) {
            throw Refusals.of(FiErrno.FI_ENOSYS, OPERATION, "%s: %s", range, rules.whyNoIova)
                .hint("open the domain without MrMode.VIRT_ADDR or MrMode.PROV_KEY").build();
        }
    }

    private static FabricException source(final String format, final Object... values) {
        return Refusals.invalid(OPERATION, format, values)
            .hint("use either buffer(...) or dmabuf(...) with MrFlag.DMABUF").build();
    }
}
