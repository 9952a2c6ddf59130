#include <stdlib.h>

// How the program of the tests begins. Swift Testing has no other way to say this for a whole package.
__attribute__((constructor)) static void start(void) {
    // At most 16 tests run at once, also with a plain `swift test`. If all began together, each would wait for all others,
    // and what a test takes for a hang would only be a queue. A number that is set already stays.
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0);
}
