#ifndef TINTYPE_CMALLOC_H
#define TINTYPE_CMALLOC_H

#include <malloc.h>

#endif
