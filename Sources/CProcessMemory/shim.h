// Process memory information missing from Swift's Glibc module.

#ifndef TINTYPE_CPROCESSMEMORY_H
#define TINTYPE_CPROCESSMEMORY_H

#include <elf.h>
#include <malloc.h>
#include <stddef.h>

// The first fields of a loaded program or library (dl_iterate_phdr(3), which is behind _GNU_SOURCE).
struct tt_loaded_object {
    Elf64_Addr base;
    const char *name;
    const Elf64_Phdr *headers;
    Elf64_Half header_count;
};

// Calls `each` for every one, the program first, until it returns nonzero.
extern int dl_iterate_phdr(int (*each)(struct tt_loaded_object *object, size_t size, void *context), void *context);

#endif
