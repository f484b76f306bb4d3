/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Gcc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Arrays;

/** The library that tells programs in the guest the time, here: four threads compare it with the kernel's. */
@EnabledIf(value = "hasCompiler", disabledReason = "there is no gcc")
class UmlClockTest {
    private static final long SECOND = 1_000_000_000;
    /** Prints how often time went back, the most nanoseconds behind and ahead, how often the kernel was asked, ... */
    private static final String PROGRAM = """
        #define _GNU_SOURCE
        #include <pthread.h>
        #include <stdio.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>
        long syscall(long, ...);
        static _Atomic long back, behind, ahead, asked;
        /* Microseconds between the kernel's answer and its arrival, in the thread that is told so. */
        static _Thread_local int late;
        static long kernel(clockid_t id, struct timespec *t) {
            long result;
            __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_clock_gettime), "D"(id), "S"(t)
                : "rcx", "r11", "memory");
            return result;
        }
        /* What the library asks through. */
        long syscall(long number, ...) {
            __builtin_va_list all;
            __builtin_va_start(all, number);
            clockid_t id = __builtin_va_arg(all, int);
            struct timespec *t = __builtin_va_arg(all, struct timespec *);
            __builtin_va_end(all);
            asked++;
            long result = kernel(id, t);
            if (late > 0) usleep(late);
            return result;
        }
        static long nanos(struct timespec t) { return t.tv_sec * 1000000000L + t.tv_nsec; }
        static long told(clockid_t id) { struct timespec t; clock_gettime(id, &t); return nanos(t); }
        static long said(clockid_t id) { struct timespec t; kernel(id, &t); return nanos(t); }
        static void *compare(void *which) {
            clockid_t id = which ? CLOCK_REALTIME : CLOCK_MONOTONIC;
            long last = 0;
            for (int i = 0; i < 300; i++) {
                for (int k = 0; k < 100; k++) {
                    long t = told(id);
                    if (t < last) back++;
                    last = t;
                }
                long before = said(id), t = told(id), after = said(id);
                if (before - t > behind) behind = before - t;
                if (t - after > ahead) ahead = t - after;
                usleep(1000);
            }
            return 0;
        }
        static void *askLate(void *arg) {
            late = 20000;
            for (int i = 0; i < 20; i++) told(CLOCK_MONOTONIC);
            return 0;
        }
        /* One thread's answers come late, so what it learns is old: another one's time goes on meanwhile, and after. */
        static void besideOneThatIsLate(void) {
            pthread_t other;
            long last = 0;
            pthread_create(&other, 0, askLate, 0);
            for (long end = said(CLOCK_MONOTONIC) + 300000000L; said(CLOCK_MONOTONIC) < end;) {
                long t = told(CLOCK_MONOTONIC);
                if (t < last) back++;
                last = t;
            }
            pthread_join(other, 0);
        }
        int main(void) {
            pthread_t threads[4];
            for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, compare, (void *) (i & 1));
            for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
            besideOneThatIsLate();
            asked = 0;
            for (int i = 0; i < 200000; i++) told(CLOCK_MONOTONIC);
            struct timeval day;
            gettimeofday(&day, 0);
            printf("%ld %ld %ld %ld %ld\\n", back, behind, ahead, asked,
                said(CLOCK_REALTIME) / 1000 - (day.tv_sec * 1000000L + day.tv_usec));
            return 0;
        }
        """;

    @TempDir
    Path folder;

    static boolean hasCompiler() {
        return Gcc.isThere();
    }

    @Test
    void isTheKernelsTimeAndNeverGoesBack() throws Exception {
        final long[] seen = Arrays.stream(
            Gcc.printPreloaded(folder, Initramfs.script("uml-clock.c"), PROGRAM).get(0).split(" "))
            .mapToLong(Long::parseLong).toArray();
        assertThat(seen[0]).as("how often it went back").isZero();
        assertThat(seen[1]).as("nanoseconds behind").isLessThan(SECOND);
        assertThat(seen[2]).as("nanoseconds ahead").isLessThan(SECOND);
        assertThat(seen[3]).as("how often the kernel was asked, of 200,000 times").isBetween(0L, 100_000L);
        assertThat(Math.abs(seen[4])).as("microseconds of the day").isLessThan(SECOND / 1000);
    }
}
