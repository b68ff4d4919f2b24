#ifndef TINTYPE_CGPIO_H
#define TINTYPE_CGPIO_H

#include <stdint.h>

// A target of its own and no system library: headers that other C modules of ours include, too, stay in the .c file.

// Asks a chip for one line (GPIO_V2_GET_LINE_IOCTL). The line's descriptor, or the negative error number.
int tt_gpio_request(const char *chip, uint32_t offset, uint64_t flags);

// Makes an output active or inactive (GPIO_V2_LINE_SET_VALUES_IOCTL). 0, or the negative error number.
int tt_gpio_set(int line, int active);

// A descriptor to wake a waiting thread with (eventfd), or the negative error number.
int tt_gpio_make_wake(void);

// Wakes whoever waits on it, now or later.
void tt_gpio_wake(int wake);

// Waits for an edge or to be woken. 1 with a rising edge, 2 with a falling one, 0 when woken, or the negative error number.
int tt_gpio_wait(int line, int wake, uint64_t *nanoseconds);

#endif
