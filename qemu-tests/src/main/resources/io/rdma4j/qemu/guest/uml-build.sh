#!/bin/sh
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Builds the fabric guest's kernel, User Mode Linux, from the distribution's source package; in a folder that holds the
# unpacked package (usr/src/linux-source-*.tar.*) and uml.config. Leaves the program as ./linux.
set -e
mkdir source
# Some thousand files of other machines are not needed; what the configuration reads of them is.
tar -xf usr/src/linux-source-*.tar.* -C source --strip-components=1 \
    --exclude='*/drivers/gpu/*.[ch]' --exclude='*/drivers/media/*.[ch]' --exclude='*/drivers/net/wireless/*.[ch]' \
    --exclude='*/drivers/net/ethernet/*.[ch]' --exclude='*/drivers/scsi/*.[ch]' --exclude='*/sound/*.[ch]' \
    --exclude='*/Documentation/*.rst' --exclude='*/Documentation/*.yaml' --exclude='*.dts' --exclude='*.dtsi' \
    --exclude='*/tools/testing/*'
cd source
# Room for the registers of processors with AMX, which kernels before 6.13 do not expect: no program would start.
sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 16384)/' arch/x86/um/user-offsets.c
# Programs that spin for each other share one processor: ten milliseconds a turn are too long.
sed -i '/^config HZ$/,/default/s/default 100$/default 1000/' arch/um/Kconfig
make -s ARCH=um KCONFIG_ALLCONFIG=../uml.config allnoconfig
grep -q '^CONFIG_RDMA_RXE=y' .config || { echo "this source has no SoftRoCE for User Mode Linux"; exit 1; }
make -s ARCH=um -j"$(nproc)" linux
mv linux ..
