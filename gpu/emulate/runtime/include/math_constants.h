// Everything this header names is in the emulation's one header.
#include "hone_emulate.h"
