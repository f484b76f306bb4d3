/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RdmaExceptionTest {
    @Test
    void saysOperationDeviceObjectDetailErrnoAndHint() {
        final Throwable cause = new IllegalStateException("below");
        final RdmaException e = RdmaException.of("create QP").device("emulated:").object("QP 5")
            .detail("%d of %d", 3, 2).errno(RdmaException.ENOMEM).hint("close one").cause(cause).build();

        assertThat(e).hasMessage("create QP failed on 'emulated:' (QP 5): 3 of 2 [ENOMEM]; close one").hasCause(cause);
        assertThat(e.operation()).isEqualTo("create QP");
        assertThat(e.errno()).isEqualTo(12);
        assertThat(e.hint()).isEqualTo("close one");
    }

    @Test
    void leavesOutWhatIsNotKnown() {
        final RdmaException e = RdmaException.of("open device").detail("100%").build();

        assertThat(e).hasMessage("open device failed: 100%");
        assertThat(e.hint()).isNull();
        assertThat(e.errno()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1,EPERM", "2,ENOENT", "5,EIO", "11,EAGAIN", "12,ENOMEM", "13,EACCES", "14,EFAULT", "16,EBUSY",
        "19,ENODEV", "22,EINVAL", "77,EBADFD", "95,EOPNOTSUPP", "110,ETIMEDOUT", "98,errno 98"})
    void namesErrnosAsCDoes(final int errno, final String name) {
        assertThat(RdmaException.errnoName(errno)).isEqualTo(name);
    }
}
