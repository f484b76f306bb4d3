/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GidTableTest {
    private final FakePvrdma fake = new FakePvrdma();
    private PvrdmaDevice device;

    private GidTable open() {
        device = fake.open();
        return device.gids();
    }

    @AfterEach
    void nothingIsLeft() {
        device.close();
        assertThat(fake.iommu.mappings()).isZero();
    }

    @Test
    void bindsAndRemembers() {
        final GidTable gids = open();
        assertThat(gids.length()).isEqualTo(8);
        assertThat(gids.get(3)).isNull();

        gids.bind(3, Gids.of(9));

        final CreateBindRequest request = new CreateBindRequest().wrap(fake.requests.get(0), 0);
        assertThat(List.of(request.get(CreateBindRequest.MTU), request.get(CreateBindRequest.VLAN),
            request.get(CreateBindRequest.INDEX), request.get(CreateBindRequest.GID_TYPE)))
            .containsExactly(1024, 0xfff, 3, 2);
        assertThat(request.get(CreateBindRequest.NEW_GID)).isEqualTo(Gids.of(9));
        assertThat(gids.get(3)).isEqualTo(Gids.of(9)).isNotSameAs(gids.get(3));
        assertThat(gids.isBound(3)).isTrue();
        assertThat(gids.isBound(2)).isFalse();
    }

    /** The index of a GID is a byte in an address vector, and in a work request. */
    @Test
    void hasNoIndexThatNoWorkRequestCouldName() {
        fake.caps(caps -> caps.set(Caps.GID_TBL_LEN, 1000));
        final GidTable gids = open();
        assertThat(gids.length()).isEqualTo(256);
        gids.bind(255, Gids.of(9));
        assertThat(gids.isBound(255)).isTrue();
        assertThatThrownBy(() -> gids.bind(256, Gids.of(9))).satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL));
    }

    @Test
    void unbindsWithTheSameGidAndOnlyOnce() {
        final GidTable gids = open();
        final byte[] gid = Gids.of(9);
        gids.bind(0, gid);
        gid[15] = 1;

        gids.unbind(0);
        gids.unbind(0);

        assertThat(fake.commandNames()).containsExactly("CREATE_BIND", "DESTROY_BIND");
        final DestroyBindRequest request = new DestroyBindRequest().wrap(fake.requests.get(1), 0);
        assertThat(request.get(DestroyBindRequest.INDEX)).isZero();
        assertThat(request.get(DestroyBindRequest.DEST_GID)).isEqualTo(Gids.of(9));
        assertThat(gids.get(0)).isNull();
    }

    @Test
    void unbindsBeforeItBindsAgain() {
        final GidTable gids = open();
        gids.bind(1, Gids.of(1));
        gids.bind(1, Gids.of(2));

        assertThat(fake.commandNames()).containsExactly("CREATE_BIND", "DESTROY_BIND", "CREATE_BIND");
        assertThat(gids.get(1)).isEqualTo(Gids.of(2));
    }

    @Test
    void aRefusedGidIsNotRemembered() {
        final GidTable gids = open();
        gids.bind(1, Gids.of(1));
        fake.errors.put(Command.CREATE_BIND, -22);

        assertThatThrownBy(() -> gids.bind(1, Gids.of(2))).satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL));

        assertThat(gids.isBound(1)).isFalse();
        assertThat(gids).hasToString("GidTable[]");
    }

    @Test
    void closeUnbindsAllWhateverTheDeviceSays() {
        final GidTable gids = open();
        gids.bind(0, Gids.of(1));
        gids.bind(7, Gids.of(2));
        fake.errors.put(Command.DESTROY_BIND, -22);
        fake.requests.clear();

        device.close();

        assertThat(fake.commandNames()).containsExactly("DESTROY_BIND", "DESTROY_BIND");
        assertThat(gids.isBound(0)).isFalse();
        assertThat(gids.isBound(7)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 8, 255, Integer.MAX_VALUE})
    void refusesIndicesOutsideOfTheTable(final int index) {
        final GidTable gids = open();

        for (final Runnable bad : List.<Runnable>of(() -> gids.bind(index, Gids.of(1)), () -> gids.unbind(index),
            () -> gids.get(index), () -> gids.isBound(index))) {
            assertThatThrownBy(bad::run).satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL))
                .hasMessageContaining("allowed are 0 to 7");
        }
        assertThat(fake.requests).isEmpty();
    }

    @Test
    void refusesGidsThatAreNone() {
        final GidTable gids = open();

        assertThatThrownBy(() -> gids.bind(0, new byte[16])).hasMessageContaining("not all zero");
        assertThatThrownBy(() -> gids.bind(0, new byte[15])).hasMessageContaining("16 bytes");
        assertThatThrownBy(() -> gids.bind(0, Gids.of(1), 1)).satisfies(
            e -> Errors.hasErrno(e, RdmaException.EOPNOTSUPP));
        assertThat(fake.requests).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void qemuCannotUnbindAGidWithoutInterfaceId(final boolean qemu) {
        if (qemu) {
            fake.qemu();
        }
        final GidTable gids = open();

        if (qemu) {
            assertThatThrownBy(() -> gids.bind(0, Gids.of(0))).hasMessageContaining("last 8 bytes are zero");
            assertThat(gids.type()).isEqualTo(1);
        } else {
            assertThatCode(() -> gids.bind(0, Gids.of(0))).doesNotThrowAnyException();
        }
    }
}
