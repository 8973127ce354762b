#include "textflag.h"

// func gaddr() uintptr
TEXT ·gaddr(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
