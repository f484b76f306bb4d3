#!/bin/sh
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Builds VFIO's modules for a kernel of the distribution with the mode that does without an IOMMU, which the
# distribution leaves out; in a folder that holds the unpacked packages of the kernel's headers and source. Takes the
# kernel's version, and leaves the modules in ./done.
set -e
headers=$PWD/usr/src/linux-headers-$1
# The only place where they say where they would be installed.
sed -i "s:/usr/src/:$PWD/usr/src/:" "$headers/Makefile"
mkdir module done
tar -xf usr/src/linux-source-*.tar.* -C module --strip-components=3 --wildcards '*/drivers/vfio/*'
# What a module's source sees of the configuration; kbuild's own variables stay as they are.
make -s -C "$headers" M="$PWD/module" KCFLAGS=-DCONFIG_VFIO_NOIOMMU=1 modules
for name in vfio pci/vfio-pci-core pci/vfio-pci; do
    strip -g "module/$name.ko" -o "done/${name#pci/}.ko"
done
grep -q enable_unsafe_noiommu_mode done/vfio.ko || { echo "this source knows no such mode"; exit 1; }
