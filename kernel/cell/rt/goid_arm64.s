#include "textflag.h"

// func gaddr() uintptr
TEXT ·gaddr(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET
