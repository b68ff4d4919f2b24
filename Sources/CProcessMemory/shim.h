// What a process knows of its own memory and Swift's Glibc module leaves out.

#ifndef TINTYPE_CPROCESSMEMORY_H
#define TINTYPE_CPROCESSMEMORY_H

#include <elf.h>
#include <malloc.h>
#include <stddef.h>

// A program or library that this process has loaded (dl_iterate_phdr(3), which stands behind _GNU_SOURCE); its first fields.
struct tt_loaded_object {
    Elf64_Addr base;
    const char *name;
    const Elf64_Phdr *headers;
    Elf64_Half header_count;
};

// Calls for each of them, the program first, until a call gives something else than 0.
extern int dl_iterate_phdr(int (*each)(struct tt_loaded_object *object, size_t size, void *context), void *context);

#endif
