#ifndef KITH_CSQLITE_H
#define KITH_CSQLITE_H

/// A plain C interface to settings of SQLite for the whole process. Swift cannot call SQLite's variadic functions.

/// Makes SQLite no longer count the memory that it uses. After the first use of SQLite it changes nothing.
void CSQLiteStopCountingMemory(void);

#endif
