# switch_stack(to, from): saves the caller's registers in `from`, and goes on where `to` was
# saved. Without types and sizes, as others write it.
	.text
	.globl switch_stack
switch_stack:
	mov %rsp, (%rsi)
	mov (%rdi), %rsp
	pop %rax
	mov %rbp, 8(%rsi)
	mov %rbx, 16(%rsi)
	mov %r12, 24(%rsi)
	mov %r13, 32(%rsi)
	mov %r14, 40(%rsi)
	mov %r15, 48(%rsi)
	mov 8(%rdi), %rbp
	mov 16(%rdi), %rbx
	mov 24(%rdi), %r12
	mov 32(%rdi), %r13
	mov 40(%rdi), %r14
	mov 48(%rdi), %r15
	jmp *%rax
	.section .note.GNU-stack, "", @progbits
