/* Makes each fsync and fdatasync slower, as a disk that is far away does.
 *
 * usage: LD_PRELOAD=slow-fsync.so SLOW_FSYNC_MS=5 PROGRAM
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int call_slowly(const char *name, int file) {
    const char *text = getenv("SLOW_FSYNC_MS");
    long milliseconds = text ? atol(text) : 0;
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
    int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return original(file);
}

int fsync(int file) { return call_slowly("fsync", file); }

int fdatasync(int file) { return call_slowly("fdatasync", file); }
