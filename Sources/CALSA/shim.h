#ifndef TINTYPE_CALSA_H
#define TINTYPE_CALSA_H

#include <alsa/asoundlib.h>

static inline void tt_alsa_discard(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file; (void)line; (void)function; (void)error; (void)format;
}

// A handler is variadic. The library writes to standard error by itself; failures are reported by its return values.
static inline void tt_alsa_be_quiet(void) {
    (void)snd_lib_error_set_handler(tt_alsa_discard);
}

#endif
