/* Clocks, in seconds from some moment on. */
#ifndef TVR_CLOCK_H
#define TVR_CLOCK_H

/* Time that passes: what people are told. */
double clock_passed(void);
/* Processor time of this process: what limits are in, so that no answer hangs on what else the machine does. */
double clock_spent(void);
#endif
