#ifndef TINTYPE_CTURBOJPEG_H
#define TINTYPE_CTURBOJPEG_H

#include <turbojpeg.h>

#endif
