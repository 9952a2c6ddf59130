#include "CSQLite.h"

#include <sqlite3.h>

void CSQLiteStopCountingMemory(void) {
    // It fails if SQLite is in use, and then nothing has changed.
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
