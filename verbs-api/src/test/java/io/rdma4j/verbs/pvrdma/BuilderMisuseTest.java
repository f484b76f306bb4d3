/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.FastRegion;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SgeList;
import io.rdma4j.verbs.SharedSendQueue;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Classes that can be made without a device, and static methods: null and numbers out of range are kept until they are
 * used, or refused with an exception that is meant. Nothing that the JVM throws by itself comes out.
 */
class BuilderMisuseTest {
    private static final List<Class<?>> CLASSES = List.of(SendRequest.class, ReceiveRequest.class, SgeList.class,
        QpOptions.class, QpAttributes.class, MrOptions.class, PageList.class, ConnectOptions.class, AhAttributes.class,
        QpAddress.class, Gid.class, Mtu.class, QpState.class, QpType.class, AccessFlag.class, AsyncEventType.class,
        SendOpcode.class, WcOpcode.class, WcStatus.class, ReturnCode.class, RdmaDevices.class, QpConnector.class,
        RdmaConnector.class, SharedSendQueue.class);

    @RegisterExtension
    final Devices devices = new Devices();

    static Stream<Executable> executables() {
        return CLASSES.stream().flatMap(type -> Stream.<Executable>concat(
            Arrays.stream(type.getConstructors()),
            Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
                .filter(method -> !method.getName().equals("equals") && !isOfEnum(method))))
            .filter(executable -> executable.getParameterCount() > 0);
    }

    /** The JVM's own. */
    private static boolean isOfEnum(final Method method) {
        return method.getDeclaringClass().isEnum() && method.getName().equals("valueOf");
    }

    private Object instance(final Class<?> type) throws ReflectiveOperationException {
        if (type == SgeList.class) {
            return new SgeList(4);
        } else if (type == QpAddress.class) {
            return new QpAddress(Gid.parse("fe80::1"), 1, 2, 3);
        } else if (type == SharedSendQueue.class) {
            final Ladder ladder = new Ladder(devices.open());
            return new SharedSendQueue((QueuePair) ladder.get(QueuePair.class), 4, (wrId, code) -> { });
        }
        for (final Constructor<?> constructor : type.getConstructors()) {
            if (constructor.getParameterCount() == 0) {
                return constructor.newInstance();
            }
        }
        for (final Method method : type.getMethods()) {
            if (Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 0
                && method.getReturnType() == type) {
                return method.invoke(null);
            }
        }
        return null;
    }

    private static Object[] zeros(final Executable executable) {
        return Arrays.stream(executable.getParameterTypes()).map(BuilderMisuseTest::zero).toArray();
    }

    private static Object zero(final Class<?> type) {
        return type.isPrimitive() ? java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0) : null;
    }

    private static List<Object> numbers(final Class<?> type) {
        if (type == int.class) {
            return List.of(-1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE);
        } else if (type == long.class) {
            return List.of(-1L, 1L, Long.MIN_VALUE, Long.MAX_VALUE);
        }
        return List.of(zero(type));
    }

    @ParameterizedTest
    @MethodSource("executables")
    void throwsOnlyWhatIsMeant(final Executable executable) throws Exception {
        assertMeant(executable, zeros(executable));
        for (int i = 0; i < executable.getParameterCount(); i++) {
            final Class<?> type = executable.getParameterTypes()[i];
            final List<Object> values = new ArrayList<>();
            if (type.isPrimitive()) {
                values.addAll(numbers(type));
            } else if (type.isArray()) {
                values.add(java.lang.reflect.Array.newInstance(type.getComponentType(), 0));
                values.add(java.lang.reflect.Array.newInstance(type.getComponentType(), 3));
            } else if (type == String.class) {
                values.addAll(List.of("", ":", "?", "::::::", "fe80::1::2", "emulated:x?timeout=", "x".repeat(70_000)));
            }
            for (final Object value : values) {
                final Object[] arguments = zeros(executable);
                arguments[i] = value;
                assertMeant(executable, arguments);
            }
        }
    }

    private void assertMeant(final Executable executable, final Object[] arguments) throws Exception {
        try {
            final Object value = executable instanceof Method
                ? ((Method) executable).invoke(target(executable), arguments)
                : ((Constructor<?>) executable).newInstance(arguments);
            if (value instanceof AutoCloseable) {
                ((AutoCloseable) value).close();
            }
        } catch (final InvocationTargetException e) {
            final Throwable thrown = e.getCause();
            assertThat(thrown instanceof RdmaException || thrown.getClass() == IllegalArgumentException.class
                || thrown instanceof IndexOutOfBoundsException || namesAParameter(thrown))
                .as("%s threw %s at %s", Arrays.toString(arguments), thrown, thrown.getStackTrace()[0]).isTrue();
        }
    }

    /** From Objects.requireNonNull: it was looked for. */
    private static boolean namesAParameter(final Throwable thrown) {
        return thrown instanceof NullPointerException && thrown.getMessage().matches("\\w+")
            && thrown.getStackTrace()[0].getClassName().equals("java.util.Objects");
    }

    private Object target(final Executable executable) throws ReflectiveOperationException {
        if (Modifier.isStatic(executable.getModifiers())) {
            return null;
        }
        final Object object = instance(executable.getDeclaringClass());
        return object == null && executable.getDeclaringClass().isEnum()
            ? executable.getDeclaringClass().getEnumConstants()[0] : object;
    }

    /** What was kept is refused where it is used. */
    @Test
    void whatIsOfAnotherDeviceIsRefusedWithItsOptions() {
        final Ladder mine = new Ladder(devices.open());
        final Ladder other = new Ladder(devices.open());
        final ProtectionDomain pd = (ProtectionDomain) mine.get(ProtectionDomain.class);
        final PinnedMemory foreign = (PinnedMemory) other.get(PinnedMemory.class);
        final MemoryRegion region = (MemoryRegion) mine.get(MemoryRegion.class);
        final FastRegion fast = (FastRegion) mine.get(FastRegion.class);

        Refusals.assertInvalid(() -> pd.register(new MrOptions().memory(foreign)));
        Refusals.assertInvalid(() -> pd.register(new MrOptions().pages(new PageList().add(foreign), 0, 8)));
        Refusals.assertInvalid(() -> fast.map(new PageList().add(foreign), 0, 8));
        Refusals.assertInvalid(() -> region.reregister(
            new MrOptions().pd((ProtectionDomain) other.get(ProtectionDomain.class))));

        final QueuePair qp = (QueuePair) mine.get(QueuePair.class);
        final MemoryWindow window = pd.allocateWindow(io.rdma4j.verbs.WindowType.TYPE_2);
        final MemoryRegion far = (MemoryRegion) other.get(MemoryRegion.class);
        assertThat(qp.postSend(new SendRequest().bind(window, window.nextRkey(), far, far.iova(), 8)))
            .isEqualTo(ReturnCode.FOREIGN_OBJECT);
        final FastRegion farFast = (FastRegion) other.get(FastRegion.class);
        assertThat(qp.postSend(new SendRequest().fastRegister(farFast, farFast.nextKey(), 0)))
            .isEqualTo(ReturnCode.FOREIGN_OBJECT);
        final QueuePair datagrams = pd.createQp(new QpOptions().type(QpType.UD).cq(qp.sendCq()));
        QpConnector.activate(datagrams, 1);
        assertThat(datagrams.postSend(new SendRequest().to((AddressHandle) other.get(AddressHandle.class), 1, 1)))
            .isEqualTo(ReturnCode.FOREIGN_OBJECT);
    }
}
