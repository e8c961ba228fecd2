#define _GNU_SOURCE
#include <malloc.h>

#include "CPlatform.h"

void agent_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

void agent_trim_heap(void) { malloc_trim(0); }
