/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.testing;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEventListener;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WindowType;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** One object of each public type on one device, and an argument that fits for each type of parameter. */
public final class Ladder {
    /** Every right that a region can have. */
    public static final AccessFlag[] ALL = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE,
        AccessFlag.REMOTE_ATOMIC, AccessFlag.MW_BIND};

    /** The device. */
    public final RdmaContext context;
    private final Map<Class<?>, Object> objects = new LinkedHashMap<>();
    private final Map<Class<?>, Object> arguments = new LinkedHashMap<>();

    /**
     * Makes the objects.
     *
     * @param context an open device.
     */
    public Ladder(final RdmaContext context) {
        this.context = context;
        final ProtectionDomain pd = context.allocatePd();
        final PinnedMemory memory = context.allocate(8 * 4096);
        final MemoryRegion region = pd.register(memory, ALL);
        final CompletionChannel channel = context.createChannel();
        final CompletionQueue cq = context.createCq(512, channel);
        final QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxInline(64));
        QpConnector.connect(qp, qp.localAddress());
        put(RdmaContext.class, context);
        put(ProtectionDomain.class, pd);
        put(PinnedMemory.class, context.allocate(4096));
        put(MemoryRegion.class, region);
        put(CompletionChannel.class, context.createChannel());
        put(CompletionQueue.class, context.createCq(64));
        put(SharedReceiveQueue.class, pd.createSrq(8, 2));
        put(QueuePair.class, qp);
        put(AddressHandle.class, pd.createAh(AhAttributes.to(qp.localAddress().gid())));
        put(MemoryWindow.class, pd.allocateWindow(WindowType.TYPE_1));
        if (context.supports(Feature.FAST_REGISTRATION)) {
            put(FastRegion.class, pd.allocateFastRegion(4));
        }
        final SendRequest send = new SendRequest().sge(memory.address(), 8, region.lkey());
        put(SendTemplate.class, qp.prepare(send, new SendRequest().sge(memory.address(), 8, region.lkey())));
        arguments.put(int.class, 1);
        arguments.put(long.class, memory.address());
        arguments.put(boolean.class, true);
        arguments.put(Feature.class, Feature.RDMA_WRITE);
        arguments.put(Gid.class, Gid.parse("fe80::77"));
        arguments.put(Duration.class, Duration.ofMillis(1));
        arguments.put(Object.class, memory);
        arguments.put(AsyncEventListener.class, (AsyncEventListener) event -> { });
        arguments.put(CompletionHandler.class, (CompletionHandler) completion -> { });
        arguments.put(AccessFlag[].class, new AccessFlag[] {AccessFlag.LOCAL_WRITE});
        arguments.put(ByteBuffer.class, ByteBuffer.allocateDirect(4096));
        arguments.put(DirectBuffer.class, new UnsafeBuffer(ByteBuffer.allocateDirect(4096)));
        arguments.put(WindowType.class, WindowType.TYPE_2);
        arguments.put(QpOptions.class, new QpOptions().cq(cq));
        arguments.put(QpAttributes.class, QpAttributes.to(QpState.RTS));
        arguments.put(AhAttributes.class, AhAttributes.to(qp.localAddress().gid()));
        arguments.put(MrOptions.class, new MrOptions().memory(memory).access(AccessFlag.LOCAL_WRITE));
        arguments.put(PageList.class, new PageList().add(memory));
        arguments.put(SendRequest.class, send);
        arguments.put(SendRequest[].class, new SendRequest[] {send});
        final ReceiveRequest receive = new ReceiveRequest().sge(memory.address(), 8, region.lkey());
        arguments.put(ReceiveRequest.class, receive);
        arguments.put(ReceiveRequest[].class, new ReceiveRequest[] {receive});
    }

    private <T> void put(final Class<T> type, final T object) {
        objects.put(type, object);
        arguments.put(type, object);
    }

    /**
     * One of the objects.
     *
     * @param type public type of the object.
     * @return null if the device has none of them.
     */
    public Object get(final Class<?> type) {
        return objects.get(type);
    }

    /** Closes the object; of one that is not closed itself, what it belongs to. */
    void close(final Class<?> type) throws Exception {
        ((AutoCloseable) get(type == SendTemplate.class ? QueuePair.class : type)).close();
    }

    /** Arguments with which the method works, or at least is refused for what it is about. */
    Object[] arguments(final Method method) {
        final Class<?>[] types = method.getParameterTypes();
        final Object[] values = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            if (!arguments.containsKey(types[i])) {
                throw new AssertionError("say in Ladder what to give " + method + " as " + types[i]);
            }
            values[i] = arguments.get(types[i]);
        }
        switch (method.getName()) {
            case "register", "allocate" -> replace(values, 1, 4096L);
            case "queryGid", "queryGidType", "queryPkey", "wrId", "remote", "operands" -> replace(values, 1, 0);
            case "postSendInline" -> replace(values, 2, 0);
            case "bindWindow" -> {
                values[4] = 8L;
                values[5] = new AccessFlag[] {AccessFlag.REMOTE_READ};
            }
            default -> {
                // As it is.
            }
        }
        return values;
    }

    private static void replace(final Object[] values, final int i, final Object value) {
        if (i < values.length && values[i].getClass() == value.getClass()) {
            values[i] = value;
        }
    }

    /** The same kind of thing from another device. */
    static Object foreign(final Class<?> type, final Ladder other) {
        return other.objects.get(type);
    }
}
