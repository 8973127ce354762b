#include "textflag.h"

// func tileAVX2(a, b *float64, ld, k int, out *[8]float64)
// Eight inner products of four rows of a with two rows of b; k is a multiple of 4.
TEXT ·tileAVX2(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ ld+16(FP), DX
	MOVQ k+24(FP), CX
	MOVQ out+32(FP), R8
	SHLQ $3, DX
	LEAQ (SI)(DX*1), R9
	LEAQ (R9)(DX*1), R10
	LEAQ (R10)(DX*1), R11
	LEAQ (DI)(DX*1), R12
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	XORQ AX, AX
	CMPQ AX, CX
	JGE  done

loop:
	VMOVUPD (DI)(AX*8), Y8
	VMOVUPD (R12)(AX*8), Y9
	VMOVUPD (SI)(AX*8), Y10
	VMOVUPD (R9)(AX*8), Y11
	VMOVUPD (R10)(AX*8), Y12
	VMOVUPD (R11)(AX*8), Y13
	VFMADD231PD Y8, Y10, Y0
	VFMADD231PD Y9, Y10, Y1
	VFMADD231PD Y8, Y11, Y2
	VFMADD231PD Y9, Y11, Y3
	VFMADD231PD Y8, Y12, Y4
	VFMADD231PD Y9, Y12, Y5
	VFMADD231PD Y8, Y13, Y6
	VFMADD231PD Y9, Y13, Y7
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  loop

done:
	// Pairs of accumulators are added crosswise: HADD(Y0,Y1) = (Y0₀+Y0₁, Y1₀+Y1₁, Y0₂+Y0₃, Y1₂+Y1₃).
	VHADDPD Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X8
	VADDPD X8, X0, X0
	VMOVUPD X0, (R8)
	VHADDPD Y3, Y2, Y2
	VEXTRACTF128 $1, Y2, X8
	VADDPD X8, X2, X2
	VMOVUPD X2, 16(R8)
	VHADDPD Y5, Y4, Y4
	VEXTRACTF128 $1, Y4, X8
	VADDPD X8, X4, X4
	VMOVUPD X4, 32(R8)
	VHADDPD Y7, Y6, Y6
	VEXTRACTF128 $1, Y6, X8
	VADDPD X8, X6, X6
	VMOVUPD X6, 48(R8)
	VZEROUPPER
	RET

// func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	MOVL DX, edx+20(FP)
	RET

// func xgetbv() (eax uint32)
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, eax+0(FP)
	RET
