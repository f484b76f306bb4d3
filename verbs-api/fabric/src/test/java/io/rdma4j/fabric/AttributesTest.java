/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Attributes that refuse what they are told stay as they were. */
class AttributesTest {
    @Test
    void ofRegions() {
        final MrAttributes attributes = new MrAttributes().access(MrAccess.SEND, MrAccess.READ)
            .flags(MrFlag.DMABUF, MrFlag.AUTH_KEY);
        final Set<MrAccess> holey = new HashSet<>(Arrays.asList(MrAccess.RECV, null));
        assertInvalid(() -> attributes.access((Set<MrAccess>) null));
        assertInvalid(() -> attributes.access(holey));
        assertInvalid(() -> attributes.access((MrAccess[]) null));
        assertInvalid(() -> attributes.access(MrAccess.RECV, null));
        assertThat(attributes.accessRights()).containsExactlyInAnyOrder(MrAccess.SEND, MrAccess.READ);
        assertInvalid(() -> attributes.flags((MrFlag[]) null));
        assertInvalid(() -> attributes.flags(MrFlag.HMEM_HOST_ALLOC, null));
        assertThat(attributes.flagSet()).containsExactlyInAnyOrder(MrFlag.DMABUF, MrFlag.AUTH_KEY);
    }

    @Test
    void ofAddressVectors() {
        final AvAttributes attributes = new AvAttributes().flags(AvFlag.EVENT);
        assertInvalid(() -> attributes.flags(AvFlag.READ, AvFlag.SYMMETRIC, null));
        assertInvalid(() -> attributes.flags(AvFlag.READ, (AvFlag[]) null));
        assertThat(attributes.flags()).containsExactly(AvFlag.EVENT);
    }
}
