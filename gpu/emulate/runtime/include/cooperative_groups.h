// Cooperative groups, which the emulation's one header leaves to those who ask for them.
#include "hone_emulate.h"
#include "hone/groups.h"
