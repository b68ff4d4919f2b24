#ifndef TINTYPE_CHEIF_H
#define TINTYPE_CHEIF_H

#include <libheif/heif.h>

#endif
