/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** A send request for a person: what counts for its operation, and nothing that is only left from another one. */
final class SendText {
    private final SendRequest request;
    private final StringBuilder text = new StringBuilder("SendRequest[");

    private SendText(final SendRequest request) {
        this.request = request;
    }

    static String of(final SendRequest request) {
        return new SendText(request).build();
    }

    private String build() {
        final SendOpcode opcode = request.opcode();
        text.append(opcode).append(" wrId=").append(request.wrId()).append(" flags=").append(flags(request.flags()));
        switch (opcode) {
            case SEND_WITH_IMM:
                imm();
                break;
            case SEND_WITH_INV:
            case LOCAL_INV:
                invalidate();
                break;
            case RDMA_WRITE:
            case RDMA_READ:
                remote();
                break;
            case RDMA_WRITE_WITH_IMM:
                imm();
                remote();
                break;
            case RDMA_READ_WITH_INV:
                remote();
                invalidate();
                break;
            default:
                more(opcode);
                break;
        }
        datagram();
        elements();
        return text.append(']').toString();
    }

    private void more(final SendOpcode opcode) {
        switch (opcode) {
            case ATOMIC_CMP_AND_SWP:
                remote();
                hex("compare", request.compareAdd());
                hex("swap", request.swap());
                break;
            case ATOMIC_FETCH_AND_ADD:
                remote();
                hex("add", request.compareAdd());
                break;
            case MASKED_ATOMIC_CMP_AND_SWP:
                remote();
                hex("compare", request.compareAdd());
                hex("compareMask", request.compareMask());
                hex("swap", request.swap());
                hex("swapMask", request.swapMask());
                break;
            case MASKED_ATOMIC_FETCH_AND_ADD:
                remote();
                hex("add", request.compareAdd());
                hex("fieldBoundary", request.fieldBoundary());
                break;
            case BIND_MW:
                text.append(" window=").append(request.window()).append(" region=").append(request.region())
                    .append(" length=").append(request.length());
                place();
                break;
            case FAST_REG_MR:
                text.append(" region=").append(request.fastRegion());
                place();
                break;
            default:
                break;
        }
    }

    private void imm() {
        hex("imm", request.immData() & 0xffff_ffffL);
    }

    private void invalidate() {
        hex("invalidate", request.invalidateRkey() & 0xffff_ffffL);
    }

    private void remote() {
        hex("remote", request.remoteAddress());
        hex("rkey", request.rkey() & 0xffff_ffffL);
    }

    private void place() {
        hex("newKey", request.newKey() & 0xffff_ffffL);
        hex("iova", request.iova());
        text.append(" access=").append(access(request.access()));
    }

    private void datagram() {
        if (request.addressHandle() != null) {
            text.append(" to=").append(request.addressHandle());
            hex("qpn", request.remoteQpn());
            hex("qkey", request.remoteQkey() & 0xffff_ffffL);
        }
    }

    private void elements() {
        if (request.isInline()) {
            text.append(" inline=").append(request.inlineLength()).append(" bytes");
        }
        final SgeList sges = request.sges();
        for (int i = 0; i < sges.size(); i++) {
            text.append(String.format(" sge[0x%x+%d lkey=0x%x]", sges.address(i), sges.length(i), sges.lkey(i)));
        }
    }

    private void hex(final String name, final long value) {
        text.append(' ').append(name).append("=0x").append(Long.toHexString(value));
    }

    private static String flags(final int flags) {
        return flags == 0 ? "none" : names(
            named(flags, SendRequest.FENCE, "FENCE"), named(flags, SendRequest.SIGNALED, "SIGNALED"),
            named(flags, SendRequest.SOLICITED, "SOLICITED"));
    }

    private static String named(final int bits, final int bit, final String name) {
        return (bits & bit) == 0 ? "" : name;
    }

    private static String access(final int bits) {
        final String[] names = new String[AccessFlag.values().length];
        for (final AccessFlag flag : AccessFlag.values()) {
            names[flag.ordinal()] = named(bits, flag.bit(), flag.name());
        }
        return bits == 0 ? "none" : names(names);
    }

    private static String names(final String... names) {
        final StringBuilder joined = new StringBuilder();
        for (final String name : names) {
            if (!name.isEmpty()) {
                joined.append(joined.length() == 0 ? "" : "|").append(name);
            }
        }
        return joined.toString();
    }
}
