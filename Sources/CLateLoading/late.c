#include "CLateLoading.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *tt_late_function(void **address, const char *library, const char *name, const char *purpose) {
    void *known = __atomic_load_n(address, __ATOMIC_RELAXED);
    if (known) return known;
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    known = handle ? dlsym(handle, name) : NULL;
    if (!known) {
        fprintf(stderr, "%s; it is needed to %s\n", dlerror(), purpose);
        abort();
    }
    __atomic_store_n(address, known, __ATOMIC_RELAXED);
    return known;
}
