
/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * Becomes the end of arch/um/kernel/trap.c where uml-build.sh builds User Mode Linux, on the machine that runs it.
 *
 * A page fault of a program takes long, whatever is done in it: its process is stopped, and made to map memory, by the
 * kernel that traces it. So the pages around that one are mapped in the same go: those that the kernel has in its
 * tables already, and, where new memory is written, those that are likely to be written next.
 */
#include <linux/userfaultfd_k.h>

#define AROUND (64 * PAGE_SIZE)

/*
 * Not where userfaultfd is asked for pages, nor where a page that is written becomes a copy of a file's: the program sees
 * what the file gets until then.
 */
static bool may_have_more(struct vm_area_struct *vma, unsigned int flags)
{
	return (flags & FAULT_FLAG_WRITE) && !userfaultfd_armed(vma) &&
		(vma_is_anonymous(vma) || (vma_is_shmem(vma) && (vma->vm_flags & VM_SHARED)));
}

/* Takes the place of flush_tlb_page() at the end of a page fault. */
static void map_around(struct vm_area_struct *vma, unsigned long address, unsigned int flags)
{
	unsigned long begin = address & -AROUND, at;
	unsigned long from = max(begin, vma->vm_start), to = min(begin + AROUND, vma->vm_end);

	/* All of these are in one table, as a table is for more of them. */
	for (at = from; at < to && may_have_more(vma, flags); at += PAGE_SIZE) {
		if (pte_none(*pte_offset_kernel(pmd_off(vma->vm_mm, at), at)) &&
		    (handle_mm_fault(vma, at, FAULT_FLAG_WRITE, NULL) & VM_FAULT_ERROR))
			break;
	}
	flush_tlb_range(vma, from, to);
}
