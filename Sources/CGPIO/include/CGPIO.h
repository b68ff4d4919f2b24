#ifndef TINTYPE_CGPIO_H
#define TINTYPE_CGPIO_H

#include <stdint.h>

// A target instead of a system library: headers that our other C modules include too stay in the .c file.

// Requests one line from a chip (GPIO_V2_GET_LINE_IOCTL). Returns the line's descriptor, or the negative error number.
int tt_gpio_request(const char *chip, uint32_t offset, uint64_t flags);

// Makes an output active or inactive (GPIO_V2_LINE_SET_VALUES_IOCTL). Returns 0, or the negative error number.
int tt_gpio_set(int line, int active);

// Creates a descriptor that wakes a waiting thread (eventfd). Returns it, or the negative error number.
int tt_gpio_make_wake(void);

// Wakes the thread that waits on it, now or later.
void tt_gpio_wake(int wake);

// Waits for an edge or to be woken. Returns 1 for a rising edge, 2 for a falling one, 0 if woken, or the negative error
// number.
int tt_gpio_wait(int line, int wake, uint64_t *nanoseconds);

#endif
