/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.event.FabricEventQueue;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;

/** An address vector: checks what applications ask for, and has its parts do it. */
final class FabricAddressVector implements AddressVector, PeerTable, AuthKeys {
    private static final UnsafeBuffer NO_ROOM = new UnsafeBuffer(0, 0);
    private static final long[] NONE = {};
    private static final String INSERT = "insert addresses";

    private final AvHost host;
    private final AddressFormat format;
    private final String name;
    private final Object context;
    private final boolean asynchronous;
    private final int flags;
    private final AddressResolver resolver;
    private final Contents contents;
    private final Inserter inserter;
    private final Users users = new Users();
    private final AuthKeyTable authKeys = new AuthKeyTable();
    private final Worker worker;
    private final Moves moves;
    private FabricEventQueue queue;

    FabricAddressVector(
        final AvHost host, final AvAttributes attributes, final AvStore store, final AddressResolver resolver,
        final Worker worker, final Worker askers) {
        this.host = host;
        format = host.domain().info().addressFormat();
        this.resolver = resolver;
        this.worker = worker;
        name = attributes.name();
        context = attributes.context();
        asynchronous = attributes.flags().contains(AvFlag.EVENT);
        flags = attributes.flags().stream().mapToInt(flag -> 1 << flag.ordinal()).sum();
        contents = new Contents(store);
        inserter = new Inserter(contents, users::isClosed);
        moves = new Moves(contents, resolver, askers, users::isClosed);
    }

    /** The domain knows it: others may see it. */
    void publish() {
        contents.publishAs(host.publish(type(), flags));
    }

    @Override
    public Domain domain() {
        return host.domain();
    }

    @Override
    public AvType type() {
        return contents.store().type();
    }

    @Override
    public AddressFormat format() {
        return format;
    }

    @Override
    public int rxCtxBits() {
        return contents.store().rxCtxBits();
    }

    @Override
    public Object context() {
        return context;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long mapAddress() {
        return contents.store().mapAddress();
    }

    @Override
    public long size() {
        return contents.store().size();
    }

    @Override
    public long memoryUse() {
        synchronized (authKeys) {
            return contents.memoryUse() + authKeys.memoryUse();
        }
    }

    @Override
    public void bind(final EventQueue newQueue, final long flags) {
        final String operation = "bind event queue";
        users.requireOpen(operation);
        requireNoFlags(operation, flags);
        if (!asynchronous) {
            throw invalid(operation, "the address vector was opened without EVENT");
        }
        if (!(newQueue instanceof FabricEventQueue) || ((FabricEventQueue) newQueue).fabric() != host.fabric()) {
            throw FabricException.of(operation).detail("%s is no queue of %s", newQueue, host.fabric())
                .errno(FiErrno.FI_EINVAL).hint("use one of Fabric.openEventQueue").build();
        }
        synchronized (worker) {
            users.requireOpen(operation);
            if (queue != null) {
                throw FabricException.of(operation).detail("%s is bound already", queue).errno(FiErrno.FI_EBUSY)
                    .build();
            }
            ((FabricEventQueue) newQueue).bind();
            queue = (FabricEventQueue) newQueue;
        }
    }

    @Override
    public int insert(final DirectBuffer addresses, final int offset, final int count, final long[] fiAddrs,
        final AvInsert options) {
        requireBound();
        if (format == AddressFormat.STR) {
            throw invalid(INSERT, "the format is STR, which comes as strings");
        }
        requireCount(INSERT, count);
        final long end = offset + (long) count * FabricAddress.size(format);
        if (count > 0 && (addresses == null || offset < 0 || end > addresses.capacity())) {
            throw invalid(INSERT, "%d addresses of %d bytes at %d are not inside of %s", count,
                FabricAddress.size(format), offset,
                addresses == null ? "null" : "a buffer of " + addresses.capacity() + " bytes");
        }
        return insert(Sources.packed(format, resolver, addresses, offset, count), fiAddrs, options);
    }

    @Override
    public int insert(final FabricAddress[] addresses, final long[] fiAddrs, final AvInsert options) {
        requireBound();
        return insert(Sources.of(format, resolver, notNull(INSERT, "addresses", addresses)), fiAddrs, options);
    }

    @Override
    public int insert(final String[] addresses, final long[] fiAddrs, final AvInsert options) {
        requireBound();
        if (format != AddressFormat.STR) {
            throw invalid(INSERT, "text is for vectors of format STR, this one's is %s", format);
        }
        return insert(Sources.of(resolver, notNull(INSERT, "addresses", addresses)), fiAddrs, options);
    }

    @Override
    public long insert(final FabricAddress address) {
        requireBound();
        if (asynchronous) {
            throw FabricException.of(INSERT).detail("the address vector is asynchronous").errno(FiErrno.FI_EINVAL)
                .hint("insert an array of one, its name is there when the event is").build();
        }
        requireWritable(INSERT);
        final long[] names = new long[1];
        final Problem[] problem = new Problem[1];
        final Source source = Sources.of(format, resolver, address);
        inserter.insert(Insertion.of(source, names, null), (index, what) -> problem[0] = what);
        if (problem[0] != null) {
            throw problem[0].exception(INSERT);
        }
        return names[0];
    }

    @Override
    public int insertService(
        final String node, final String service, final long[] fiAddrs, final AvInsert options) {
        requireBound();
        notNull(INSERT, "node", node);
        return insert(resolver.service(node, service), fiAddrs, options);
    }

    @Override
    public int insertSymmetric(final String node, final int nodeCount, final String service, final int serviceCount,
        final long[] fiAddrs, final AvInsert options) {
        requireBound();
        notNull(INSERT, "node", node);
        notNull(INSERT, "service", service);
        requireCount(INSERT, nodeCount);
        requireCount(INSERT, serviceCount);
        if ((long) nodeCount * serviceCount > Integer.MAX_VALUE) {
            throw invalid(INSERT, "%d nodes of %d services are more than %d addresses", nodeCount, serviceCount,
                Integer.MAX_VALUE);
        }
        return insert(resolver.symmetric(node, nodeCount, service, serviceCount), fiAddrs, options);
    }

    private int insert(final Source source, final long[] fiAddrs, final AvInsert options) {
        final Insertion call = Insertion.of(source, fiAddrs, options);
        requirePlaces(call);
        requireOptions(call);
        requireWritable(INSERT);
        if (!asynchronous) {
            return inserter.insert(call, (index, problem) -> { });
        }
        begin(call);
        return 0;
    }

    private void requirePlaces(final Insertion call) {
        final int count = call.count();
        if (call.fiAddrs() == null) {
            if (count > 0 && (type() != AvType.TABLE || call.userIds())) {
                throw invalid(INSERT, "there is no array for names, which only TABLE without user identifiers allows");
            }
        } else if (call.fiAddrs().length < count) {
            throw invalid(INSERT, "array for names has %d places for %d addresses", call.fiAddrs().length, count);
        }
        if (call.errors() != null && call.errors().length < count) {
            throw invalid(INSERT, "array for errors has %d places for %d addresses", call.errors().length, count);
        }
    }

    private void requireOptions(final Insertion call) {
        if (asynchronous && call.errors() != null) {
            throw FabricException.of(INSERT).detail("errors are told by events, as the address vector is asynchronous")
                .errno(FiErrno.FI_EINVAL).hint("leave AvInsert.errors out").build();
        }
        if (call.userIds()) {
            requireUserIds(INSERT);
        }
        if (call.authKey() != FiAddr.NOTAVAIL) {
            requireAuthKey(INSERT, call.authKey());
        }
    }

    private void requireUserIds(final String operation) {
        if (contents.store().isShared()) {
            throw FabricException.of(operation).detail("shared address vectors have no user identifiers")
                .errno(FiErrno.FI_ENOSYS).build();
        }
    }

    private void requireWritable(final String operation) {
        if (contents.store().isReadOnly()) {
            throw FabricException.of(operation).detail("address vector '%s' is open for reading only", name)
                .errno(FiErrno.FI_EACCES).build();
        }
    }

    private void begin(final Insertion call) {
        synchronized (worker) {
            users.requireOpen(INSERT);
            requireQueue();
            // Closing comes behind: so all that was taken has its events.
            if (!worker.run(() -> run(call))) {
                throw FabricException.of(INSERT).detail("there is no thread for it").errno(FiErrno.FI_ENOMEM)
                    .hint("raise the limit of threads (ulimit -u, pids.max), or insert again later").build();
            }
        }
    }

    /** Before anything else that may be wrong with a call (fi_av). */
    private void requireBound() {
        users.requireOpen(INSERT);
        if (asynchronous) {
            requireQueue();
        }
    }

    private void requireQueue() {
        if (queue == null) {
            throw FabricException.of(INSERT).detail("no event queue is bound to the asynchronous address vector")
                .errno(FiErrno.FI_ENOEQ).hint("call AddressVector.bind first").build();
        }
    }

    private void run(final Insertion call) {
        int inserted = 0;
        try {
            inserted = inserter.insert(call,
                (index, problem) -> queue.write(AvEvent.failed(this, call.context(), index, problem)));
        } finally {
            // Whatever happened: who waits for it must not wait for ever.
            queue.write(AvEvent.complete(this, call.context(), inserted));
        }
    }

    @Override
    public void remove(final long[] fiAddrs, final int count, final long flags) {
        final String operation = "remove addresses";
        users.requireOpen(operation);
        requireNoFlags(operation, flags);
        requireCount(operation, count);
        if (count > 0 && (fiAddrs == null || fiAddrs.length < count)) {
            throw invalid(operation, "%d names in an array of %s", count, fiAddrs == null ? null : fiAddrs.length);
        }
        requireWritable(operation);
        int bad = 0;
        int first = 0;
        lock(operation);
        try {
            users.requireOpen(operation);
            for (int i = 0; i < count; i++) {
                if (!contents.remove(fiAddrs[i])) {
                    first = bad++ == 0 ? i : first;
                }
            }
        } finally {
            contents.unlock();
        }
        if (bad > 0) {
            throw invalid(operation, "%d of %d are not in the address vector, the first is 0x%x at index %d; others"
                + " were removed", bad, count, fiAddrs[first], first);
        }
    }

    private void lock(final String operation) {
        try {
            contents.lock();
        } catch (final FabricException e) {
            throw Problem.of(e).exception(operation);
        }
    }

    @Override
    public FabricAddress lookup(final long fiAddr) {
        final String operation = "look up address";
        users.requireOpen(operation);
        final FabricAddress address = contents.inserted(fiAddr);
        if (address == null) {
            throw absent(operation, fiAddr);
        }
        return address;
    }

    @Override
    public int lookup(final long fiAddr, final MutableDirectBuffer to, final int offset, final int length) {
        if (users.isClosed()) {
            return -FiErrno.FI_EBADFD;
        }
        if (!isInside(to, offset, length)) {
            return -FiErrno.FI_EINVAL;
        }
        return contents.inserted(fiAddr, to == null ? NO_ROOM : to, offset, length);
    }

    /** No buffer has no bytes: who asks for the size alone needs none. */
    private static boolean isInside(final MutableDirectBuffer to, final int offset, final int length) {
        return to == null ? offset == 0 && length == 0 : Payloads.isRoom(to, offset, length);
    }

    @Override
    public String straddr(final FabricAddress address) {
        final String operation = "write address as text";
        users.requireOpen(operation);
        if (address == null || address.format() != format) {
            throw invalid(operation, "address is %s, must be of format %s", address, format);
        }
        return address.toString();
    }

    @Override
    public int straddr(
        final FabricAddress address, final MutableDirectBuffer to, final int offset, final int length) {
        final byte[] text = straddr(address).getBytes(StandardCharsets.UTF_8);
        if (!isInside(to, offset, length)) {
            throw invalid("write address as text", "%d bytes at %d are not inside of %s", length, offset, to);
        }
        if (length > 0) {
            final int most = Math.min(text.length, length - 1);
            to.putBytes(offset, text, 0, most);
            to.putByte(offset + most, (byte) 0);
        }
        return text.length + 1;
    }

    @Override
    public void userId(final long fiAddr, final long userId, final long flags) {
        final String operation = "set user identifier";
        users.requireOpen(operation);
        requireNoFlags(operation, flags);
        requireUserIds(operation);
        if (!contents.userId(fiAddr, userId)) {
            throw absent(operation, fiAddr);
        }
    }

    @Override
    public long insertAuthKey(final byte[] key, final long flags) {
        final String operation = "insert authorization key";
        users.requireOpen(operation);
        requireNoFlags(operation, flags);
        if (!host.avAuthKeys()) {
            throw FabricException.of(operation).detail("the domain's authorization keys do not come through vectors")
                .errno(FiErrno.FI_EINVAL).hint("ask for it with Hints.avAuthKeys").build();
        }
        if (notNull(operation, "key", key).length == 0) {
            throw invalid(operation, "key is empty");
        }
        synchronized (authKeys) {
            return authKeys.insert(key);
        }
    }

    @Override
    public byte[] lookupAuthKey(final long fiAddr) {
        final String operation = "look up authorization key";
        users.requireOpen(operation);
        final byte[] ofAddress = authKeyOf(fiAddr);
        if (ofAddress != null) {
            return ofAddress;
        }
        requireAuthKey(operation, fiAddr);
        synchronized (authKeys) {
            return authKeys.lookup(fiAddr);
        }
    }

    private void requireAuthKey(final String operation, final long fiAddr) {
        synchronized (authKeys) {
            if (!authKeys.contains(fiAddr)) {
                throw invalid(operation, "0x%x is the name of no authorization key", fiAddr);
            }
        }
    }

    @Override
    public boolean find(final long fiAddr, final PeerAddress into) {
        return contents.find(fiAddr, into);
    }

    @Override
    public long source(final long gidHigh, final long gidLow, final int qpn) {
        return contents.source(gidHigh, gidLow, qpn, AvStore.ANY_KEY);
    }

    @Override
    public long source(final long gidHigh, final long gidLow, final int qpn, final int qkey) {
        return contents.source(gidHigh, gidLow, qpn, Integer.toUnsignedLong(qkey));
    }

    @Override
    public long nameOf(final long gidHigh, final long gidLow, final int qpn) {
        return contents.nameOf(gidHigh, gidLow, qpn);
    }

    @Override
    public List<byte[]> authKeys() {
        synchronized (authKeys) {
            return authKeys.all();
        }
    }

    @Override
    public byte[] authKey(final long fiAddr) {
        synchronized (authKeys) {
            return authKeys.contains(fiAddr) ? authKeys.lookup(fiAddr) : null;
        }
    }

    @Override
    public byte[] authKeyOf(final long fiAddr) {
        return authKey(contents.authKeyOf(fiAddr));
    }

    @Override
    public boolean resolveAgain(final long fiAddr) {
        return format != AddressFormat.DEVICE && moves.askFor(fiAddr);
    }

    @Override
    public long[] resolveAgain(final InetSocketAddress told) {
        if (format == AddressFormat.DEVICE) {
            return NONE;
        }
        return LongStream.of(contents.namesAt(told)).filter(this::resolveAgain).toArray();
    }

    @Override
    public boolean isResolving(final long fiAddr) {
        return moves.isAskedFor(fiAddr);
    }

    @Override
    public int lifeOf(final long fiAddr) {
        return contents.lifeOf(fiAddr);
    }

    @Override
    public int moves() {
        return moves.count() + contents.movesOfOthers();
    }

    @Override
    public void use(final Object endpoint) {
        users.add(endpoint);
    }

    @Override
    public void unuse(final Object endpoint) {
        users.remove(endpoint);
    }

    private static void requireNoFlags(final String operation, final long flags) {
        if (flags != 0) {
            throw FabricException.of(operation).detail("flags are 0x%x, must be 0", flags)
                .errno(FiErrno.FI_EBADFLAGS).build();
        }
    }

    private static void requireCount(final String operation, final int count) {
        if (count < 0) {
            throw invalid(operation, "count is %d, must be 0 or more", count);
        }
    }

    private static <T> T notNull(final String operation, final String what, final T value) {
        if (value == null) {
            throw invalid(operation, "%s is null", what);
        }
        return value;
    }

    private static FabricException absent(final String operation, final long fiAddr) {
        return invalid(operation, "0x%x is not in the address vector: never inserted, or removed", fiAddr);
    }

    private static FabricException invalid(final String operation, final String format, final Object... values) {
        return FabricException.of(operation).detail(format, values).errno(FiErrno.FI_EINVAL).build();
    }

    @Override
    public boolean isClosed() {
        return users.isClosed();
    }

    @Override
    public void close() {
        final boolean isFirst = users.close();
        try {
            // Each time: what failed is tried again, and nobody takes the store from a worker that is still at it.
            try {
                worker.close();
            } finally {
                moves.close();
            }
            contents.close();
        } finally {
            if (isFirst) {
                ended();
            }
        }
    }

    private void ended() {
        final FabricEventQueue bound;
        synchronized (worker) {
            bound = queue;
        }
        if (bound != null) {
            bound.unbind();
        }
        host.closed(this);
    }

    @Override
    public String toString() {
        return "address vector of " + type() + (name == null ? "" : " '" + name + "'") + " with " + size()
            + " addresses" + (isClosed() ? ", closed" : "");
    }
}
