/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Has values in vector registers while it makes system calls, touches new pages, takes signals and forks, in processes
 * and threads beside each other: they are what they were. Prints "ok" and how many rounds there were, or what changed.
 * Argument: how many seconds it takes.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES 3
#define THREADS 2
#define FORKS 50
#define WIDEST 64
#define REGISTERS 4
#define PAGES 2

/* A system call that does nothing, by number: sched_yield, getppid. */
#define YIELD "mov $24, %%eax; syscall;"
#define PARENT "mov $110, %%eax; syscall;"

/*
 * From IN to registers 0, 1, 5 and 15, and, after two system calls each before and behind the first touches of two pages,
 * a read and a write, from there to OUT.
 */
#define ROUND(MOVE, NAME, BYTES, END) \
    __asm__ volatile( \
        MOVE " (%0), %%" NAME "0;" MOVE " " #BYTES "(%0), %%" NAME "1;" \
        MOVE " 2*" #BYTES "(%0), %%" NAME "5;" MOVE " 3*" #BYTES "(%0), %%" NAME "15;" \
        YIELD "movb $1, (%2);" PARENT "movb (%3), %%al; movb $2, (%3);" YIELD PARENT \
        MOVE " %%" NAME "0, (%1);" MOVE " %%" NAME "1, " #BYTES "(%1);" \
        MOVE " %%" NAME "5, 2*" #BYTES "(%1);" MOVE " %%" NAME "15, 3*" #BYTES "(%1);" END \
        ::"r"(in), "r"(out), "r"(pages), "r"(pages + page) \
        : "rax", "rcx", "r11", "xmm0", "xmm1", "xmm5", "xmm15", "memory")

static int widest;
static double end;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void destroy_registers(int signal)
{
    (void) signal;
    if (widest > 16)
        __asm__ volatile("vzeroall" ::: "memory");
    else
        __asm__ volatile("pxor %%xmm0, %%xmm0; pxor %%xmm5, %%xmm5" ::: "xmm0", "xmm5");
}

static long rounds_until_end(uint32_t seed)
{
    const long page = sysconf(_SC_PAGESIZE);
    uint32_t in[WIDEST * REGISTERS / 4], out[WIDEST * REGISTERS / 4];
    long rounds = 0;

    for (; now() < end; rounds++) {
        char *const pages = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        int bytes = 16 << rounds % 3;

        if (bytes > widest)
            bytes = 16;
        for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++) {
            /* Registers that are zero are kept in another way. */
            seed = seed * 1664525 + 1013904223;
            in[i] = (seed >> 28) == 0 ? 0 : seed;
        }
        memset(out, 0, sizeof(out));
        if (bytes == 16)
            ROUND("movdqu", "xmm", 16, "");
        else if (bytes == 32)
            ROUND("vmovdqu", "ymm", 32, "vzeroupper");
        else
            ROUND("vmovdqu64", "zmm", 64, "vzeroupper");
        if (memcmp(in, out, REGISTERS * bytes) != 0) {
            printf("WRONG in round %ld of process %d with %d bytes\n", rounds, getpid(), bytes);
            for (int i = 0; i < REGISTERS * bytes / 4; i++)
                printf("%d: %08x is %08x\n", i, in[i], out[i]);
            exit(1);
        }
        munmap(pages, PAGES * page);
    }
    return rounds;
}

static void *thread(void *seed)
{
    return (void *) rounds_until_end((uint32_t) (uintptr_t) seed);
}

static void process(int number)
{
    struct sigaction action = {.sa_handler = destroy_registers, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 3000}, {0, 3000}};
    pthread_t threads[THREADS];
    long rounds = 0;

    /*
     * Frames of signals have no room for the upper halves of the widest ones in User Mode Linux, also without lines of
     * ours: who has those takes no signals.
     */
    if (number > 0) {
        widest = widest > 32 ? 32 : widest;
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &often, NULL);
    }
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *) (number * THREADS + i));
    for (int i = 0; i < THREADS; i++) {
        void *its;
        pthread_join(threads[i], &its);
        rounds += (long) its;
    }
    printf("%ld rounds\n", rounds);
    exit(rounds == 0);
}

/* Whether one of them failed. */
static int wait_for_all(void)
{
    int status, bad = 0;

    while (wait(&status) > 0)
        bad |= status;
    return bad;
}

int main(int argc, char **argv)
{
    int bad;

    (void) argc;
    widest = __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
    setvbuf(stdout, NULL, _IOLBF, 0);
    end = now() + atof(argv[1]);
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            process(i);
    bad = wait_for_all();
    for (int i = 0; i < FORKS; i++) {
        end = now() + 0.02;
        if (fork() == 0) {
            rounds_until_end(i);
            exit(0);
        }
        rounds_until_end(-i);
        bad |= wait_for_all();
    }
    puts(bad ? "WRONG" : "ok");
    return bad != 0;
}
