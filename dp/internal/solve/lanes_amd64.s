#include "textflag.h"

// Passes over sparse rows (CSR) for four fits at once; vectors of four fits are interleaved.

// func laneMarginsAVX2(ptr *int, idx *int32, val, y, f, z *float64, n int)
// z_i = y_i Σ_k val_k f_{idx_k}
TEXT ·laneMarginsAVX2(SB), NOSPLIT, $0-56
	MOVQ ptr+0(FP), R8
	MOVQ idx+8(FP), R9
	MOVQ val+16(FP), R10
	MOVQ y+24(FP), R11
	MOVQ f+32(FP), R12
	MOVQ z+40(FP), R13
	MOVQ n+48(FP), CX
	MOVQ (R8), AX

row:
	MOVQ 8(R8), BX
	VXORPD Y0, Y0, Y0
	CMPQ AX, BX
	JGE  store

entry:
	MOVLQSX (R9)(AX*4), DX
	SHLQ $5, DX
	VBROADCASTSD (R10)(AX*8), Y2
	VFMADD231PD (R12)(DX*1), Y2, Y0
	INCQ AX
	CMPQ AX, BX
	JLT  entry

store:
	VBROADCASTSD (R11), Y2
	VMULPD Y2, Y0, Y0
	VMOVUPD Y0, (R13)
	ADDQ $8, R8
	ADDQ $8, R11
	ADDQ $32, R13
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

// func laneGradientAVX2(ptr *int, idx *int32, val, s, grad *float64, n int)
// g_{idx_k} += val_k s_i
TEXT ·laneGradientAVX2(SB), NOSPLIT, $0-48
	MOVQ ptr+0(FP), R8
	MOVQ idx+8(FP), R9
	MOVQ val+16(FP), R10
	MOVQ s+24(FP), R11
	MOVQ grad+32(FP), R12
	MOVQ n+40(FP), CX
	MOVQ (R8), AX

row:
	MOVQ 8(R8), BX
	VMOVUPD (R11), Y0
	VPTEST Y0, Y0
	JZ   skip
	CMPQ AX, BX
	JGE  next

entry:
	MOVLQSX (R9)(AX*4), DX
	SHLQ $5, DX
	VBROADCASTSD (R10)(AX*8), Y2
	VMOVUPD (R12)(DX*1), Y3
	VFMADD231PD Y2, Y0, Y3
	VMOVUPD Y3, (R12)(DX*1)
	INCQ AX
	CMPQ AX, BX
	JLT  entry
	JMP  next

skip:
	MOVQ BX, AX

next:
	ADDQ $8, R8
	ADDQ $32, R11
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

// func laneHessianAVX2(ptr *int, idx *int32, val, c, h *float64, n, d int)
// h_{idx_a, idx_b} += c_i val_a val_b for b ≤ a
TEXT ·laneHessianAVX2(SB), NOSPLIT, $0-56
	MOVQ ptr+0(FP), R8
	MOVQ idx+8(FP), R9
	MOVQ val+16(FP), R10
	MOVQ c+24(FP), R11
	MOVQ n+40(FP), CX
	MOVQ d+48(FP), R14
	SHLQ $5, R14
	MOVQ (R8), AX

row:
	MOVQ 8(R8), BX
	VMOVUPD (R11), Y0
	VPTEST Y0, Y0
	JZ   next
	MOVQ AX, SI
	CMPQ SI, BX
	JGE  next

outer:
	MOVLQSX (R9)(SI*4), DI
	IMULQ R14, DI
	ADDQ h+32(FP), DI
	VBROADCASTSD (R10)(SI*8), Y1
	VMULPD Y0, Y1, Y1
	MOVQ AX, R13

inner:
	MOVLQSX (R9)(R13*4), DX
	SHLQ $5, DX
	VBROADCASTSD (R10)(R13*8), Y2
	VMOVUPD (DI)(DX*1), Y3
	VFMADD231PD Y2, Y1, Y3
	VMOVUPD Y3, (DI)(DX*1)
	INCQ R13
	CMPQ R13, SI
	JLE  inner

	INCQ SI
	CMPQ SI, BX
	JLT  outer

next:
	MOVQ BX, AX
	ADDQ $8, R8
	ADDQ $32, R11
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET
