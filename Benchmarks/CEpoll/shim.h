#include <sys/epoll.h>
#include <sys/timerfd.h>

// Sets a timer of timerfd once. In C, because Swift finds the type of a time in different modules from build to build.
static inline int timer_set(int timer, long long nanoseconds) {
    struct itimerspec setting = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return timerfd_settime(timer, 0, &setting, 0);
}
