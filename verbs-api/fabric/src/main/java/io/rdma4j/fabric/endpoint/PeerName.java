/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.KeyDirectory;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QueuePair;

import java.nio.ByteOrder;
import java.util.zip.CRC32;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The name of an endpoint, little endian but for the GID. Whoever takes one apart trusts nothing in it. The checksum
 * finds accidents; that its maker has the authorization key is what the HMAC says, 0 where there is no key.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                             magic                             |  0
 *  +-------------------------------+-------------------------------+
 *  |            version            |            length             |  4
 *  +-------------------------------+-------------------------------+
 *  |                             flags                             |  8
 *  |                       qpn of the messages                     | 12
 *  |     HMAC-SHA256 of the name with 0 here, first 8 bytes        | 16
 *  |                              GID                              | 24
 *  |                       psn of the messages                     | 40
 *  |                     qpn of the lane inwards                   | 44
 *  |                     qpn of the lane outwards                  | 48
 *  |                  first psn of the lane outwards               | 52
 *  |                       directory: iova                         | 56
 *  |                       directory: nonce                        | 64
 *  |                       directory: rkey                         | 72
 *  |                       directory: entries                      | 76
 *  |                            reserved                           | 80
 *  |                             CRC-32                            | 84
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * @param flags      bits of this class.
 * @param messageQpn the queue pair of messages.
 * @param authTag    of {@link #sealed}.
 * @param gid        of the port.
 * @param messagePsn first sequence number of messages.
 * @param inQpn      where peers' RMA goes; 0 without RMA.
 * @param outQpn     where its own RMA comes from; 0 without RMA.
 * @param outPsn     first sequence number of its own RMA.
 * @param directory  iova of the key directory; 0 for none.
 * @param nonce      of the directory.
 * @param rkey       of the directory.
 * @param capacity   entries of the directory; 0 for none.
 */
record PeerName(
    int flags, int messageQpn, long authTag, Gid gid, int messagePsn, int inQpn, int outQpn, int outPsn,
    long directory, long nonce, int rkey, int capacity) {
    /** Flag: it has lanes for RMA. */
    static final int RMA = 1;
    /** Flag: keys are names, to be looked up. */
    static final int KEYS_BY_DIRECTORY = 2;
    /** Flag: some of its regions count what peers write. */
    static final int COUNTS = 4;
    /** Flag: its lane inwards is mended after a refused access. */
    static final int MENDS = 8;
    /** Flag: its messages go in pieces with headers, which can have tags. */
    static final int PIECES = 16;
    private static final int ALL_FLAGS = RMA | KEYS_BY_DIRECTORY | COUNTS | MENDS | PIECES;

    static final int LENGTH = 88;
    static final int VERSION = 1;
    static final int VERSION_OFFSET = 4;
    static final int CRC_OFFSET = 84;
    private static final int MAGIC = 0x5045_4652;
    private static final int LENGTH_OFFSET = 6;
    private static final int FLAGS_OFFSET = 8;
    private static final int MESSAGE_QPN_OFFSET = 12;
    private static final int AUTH_OFFSET = 16;
    private static final int GID_OFFSET = 24;
    private static final int GID_LENGTH = 16;
    private static final int MESSAGE_PSN_OFFSET = 40;
    private static final int IN_QPN_OFFSET = 44;
    private static final int OUT_QPN_OFFSET = 48;
    private static final int OUT_PSN_OFFSET = 52;
    private static final int DIRECTORY_OFFSET = 56;
    private static final int NONCE_OFFSET = 64;
    private static final int RKEY_OFFSET = 72;
    private static final int CAPACITY_OFFSET = 76;
    private static final int RESERVED_OFFSET = 80;
    private static final int MAX_24_BITS = 0xff_ffff;
    private static final int MAX_CAPACITY = 1 << 24;
    private static final String CONNECT = "connect endpoint";
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    /** The name of an endpoint with these lanes, those for RMA null without; with further flags. */
    static PeerName of(
        final EndpointHost host, final Realm realm, final QueuePair messages, final InLane in, final OutLane out,
        final int further) {
        final QpAddress address = messages.localAddress();
        final KeyDirectory directory = realm.directory();
        final boolean readable = in != null && directory.isReadable();
        final boolean byKey = host.info().needs(MrMode.PROV_KEY) || host.info().needs(MrMode.RAW);
        final boolean counts = host.info().capabilities().contains(Capability.RMA_EVENT);
        final int flags = (in == null ? 0 : RMA) | (readable && !byKey ? KEYS_BY_DIRECTORY : 0)
            | (readable && counts ? COUNTS : 0) | further;
        return new PeerName(flags, address.qpn(), 0, address.gid(), address.psn(),
            in == null ? 0 : in.qpNumber(), out == null ? 0 : out.qpNumber(), out == null ? 0 : out.psn(),
            readable ? directory.iova() : 0, readable ? directory.nonce() : 0, readable ? directory.rkey() : 0,
            readable ? directory.capacity() : 0).sealed(realm);
    }

    boolean has(final int flag) {
        return (flags & flag) != 0;
    }

    /** This name with the tag that only who has the realm's authorization key can make. */
    PeerName sealed(final Realm realm) {
        final byte[] tag = realm.sign(withTag(0).encode());
        return withTag(new UnsafeBuffer(tag).getLong(0, ORDER));
    }

    /** Whether it was made by one with the realm's authorization key, and not altered since. */
    boolean isSealedBy(final Realm realm) {
        return sealed(realm).authTag == authTag;
    }

    private PeerName withTag(final long tag) {
        return new PeerName(flags, messageQpn, tag, gid, messagePsn, inQpn, outQpn, outPsn, directory, nonce, rkey,
            capacity);
    }

    byte[] encode() {
        final byte[] bytes = new byte[LENGTH];
        final UnsafeBuffer to = new UnsafeBuffer(bytes);
        to.putInt(0, MAGIC, ORDER);
        to.putShort(VERSION_OFFSET, (short) VERSION, ORDER);
        to.putShort(LENGTH_OFFSET, (short) LENGTH, ORDER);
        to.putInt(FLAGS_OFFSET, flags, ORDER);
        to.putInt(MESSAGE_QPN_OFFSET, messageQpn, ORDER);
        to.putLong(AUTH_OFFSET, authTag, ORDER);
        to.putBytes(GID_OFFSET, gid.bytes());
        to.putInt(MESSAGE_PSN_OFFSET, messagePsn, ORDER);
        to.putInt(IN_QPN_OFFSET, inQpn, ORDER);
        to.putInt(OUT_QPN_OFFSET, outQpn, ORDER);
        to.putInt(OUT_PSN_OFFSET, outPsn, ORDER);
        to.putLong(DIRECTORY_OFFSET, directory, ORDER);
        to.putLong(NONCE_OFFSET, nonce, ORDER);
        to.putInt(RKEY_OFFSET, rkey, ORDER);
        to.putInt(CAPACITY_OFFSET, capacity, ORDER);
        to.putInt(CRC_OFFSET, crc(bytes), ORDER);
        return bytes;
    }

    static int crc(final byte[] bytes) {
        final CRC32 crc = new CRC32();
        crc.update(bytes, 0, CRC_OFFSET);
        return (int) crc.getValue();
    }

    /** Takes a name apart. */
    static PeerName decode(final byte[] given) {
        if (given == null) {
            throw Failures.invalid(CONNECT, "the peer's name is null");
        }
        final byte[] bytes = given.clone();
        final UnsafeBuffer from = new UnsafeBuffer(bytes);
        if (bytes.length < FLAGS_OFFSET || from.getInt(0, ORDER) != MAGIC) {
            throw refused("%d bytes that are no name of an endpoint", bytes.length);
        }
        if (from.getShort(VERSION_OFFSET, ORDER) != VERSION) {
            throw refused("a name of version %d, known is %d", from.getShort(VERSION_OFFSET, ORDER), VERSION);
        }
        if (bytes.length != LENGTH || from.getShort(LENGTH_OFFSET, ORDER) != LENGTH) {
            throw refused("a name of %d bytes, %d are needed", bytes.length, LENGTH);
        }
        if (from.getInt(CRC_OFFSET, ORDER) != crc(bytes)) {
            throw refused("a name that was altered: its checksum does not fit", 0);
        }
        final PeerName name = new PeerName(from.getInt(FLAGS_OFFSET, ORDER), from.getInt(MESSAGE_QPN_OFFSET, ORDER),
            from.getLong(AUTH_OFFSET, ORDER), gid(from), from.getInt(MESSAGE_PSN_OFFSET, ORDER),
            from.getInt(IN_QPN_OFFSET, ORDER), from.getInt(OUT_QPN_OFFSET, ORDER),
            from.getInt(OUT_PSN_OFFSET, ORDER), from.getLong(DIRECTORY_OFFSET, ORDER),
            from.getLong(NONCE_OFFSET, ORDER), from.getInt(RKEY_OFFSET, ORDER), from.getInt(CAPACITY_OFFSET, ORDER));
        if (!name.isPlausible() || from.getInt(RESERVED_OFFSET, ORDER) != 0) {
            throw refused("a name with numbers that no endpoint has: %s", name);
        }
        return name;
    }

    private static Gid gid(final UnsafeBuffer from) {
        final byte[] bytes = new byte[GID_LENGTH];
        from.getBytes(GID_OFFSET, bytes);
        return Gid.of(bytes);
    }

    private boolean isPlausible() {
        final int numbers = messageQpn | messagePsn | inQpn | outQpn | outPsn;
        return (flags & ~ALL_FLAGS) == 0 && (numbers & ~MAX_24_BITS) == 0 && !gid.isZero() && !gid.isMulticast()
            && capacity >= 0 && capacity <= MAX_CAPACITY && (capacity & capacity - 1) == 0;
    }

    private static FabricException refused(final String what, final Object... args) {
        return Failures.of(CONNECT, FiErrno.FI_EINVAL, what, args)
            .hint("pass on what MsgEndpoint.name() of the peer returned").build();
    }
}
