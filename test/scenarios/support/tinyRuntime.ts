import { writeFileSync } from 'node:fs'

/** execve(path, argv, envp) with the arguments the kernel put on the stack; exit 127 where that fails. */
const machines = {
  x64: {
    number: 0x3e,
    code: [
      ...[0x48, 0x8b, 0x04, 0x24], // mov rax, [rsp]: argc
      ...[0x48, 0x8d, 0x74, 0x24, 0x08], // lea rsi, [rsp+8]: argv
      ...[0x48, 0x8d, 0x54, 0xc4, 0x10], // lea rdx, [rsp+rax*8+16]: envp
      ...[0x48, 0x8d, 0x3d, 0x13, 0x00, 0x00, 0x00], // lea rdi, [rip+19]: the path behind this code
      ...[0xb8, 0x3b, 0x00, 0x00, 0x00, 0x0f, 0x05], // execve
      ...[0xbf, 0x7f, 0x00, 0x00, 0x00, 0xb8, 0x3c, 0x00, 0x00, 0x00, 0x0f, 0x05], // exit
    ],
  },
  arm64: {
    number: 0xb7,
    code: [
      0xf94003e3, // ldr x3, [sp]: argc
      0x910023e1, // add x1, sp, #8: argv
      0x8b030c22, // add x2, x1, x3, lsl #3
      0x91002042, // add x2, x2, #8: envp
      0x100000c0, // adr x0, #24: the path behind this code
      0xd2801ba8, // mov x8, #221: execve
      0xd4000001, // svc #0
      0xd2800fe0, // mov x0, #127
      0xd2800ba8, // mov x8, #93: exit
      0xd4000001, // svc #0
    ].flatMap((word) => [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24]),
  },
} as const

/** Bytes of the ELF header and of one program header. */
const headers = 64 + 56
const base = 0x400000

/**
 * Writes a Node.js for hosts that is sent in no time: a static Linux program (elf(5)) of two hundred bytes
 * that hands over to the Node.js of this machine, or to another program of the host. Only what a file weighs is
 * left out of the real way.
 */
export function writeTinyRuntime(file: string, program = process.execPath): void {
  const machine = machines[process.arch === 'arm64' ? 'arm64' : 'x64']
  const body = Buffer.concat([Buffer.from(machine.code), Buffer.from(`${program}\0`)])
  const elf = Buffer.alloc(headers)
  elf.write('\x7fELF\x02\x01\x01', 'latin1')
  elf.writeUInt16LE(2, 16) // an executable
  elf.writeUInt16LE(machine.number, 18)
  elf.writeUInt32LE(1, 20)
  elf.writeBigUInt64LE(BigInt(base + headers), 24) // entry
  elf.writeBigUInt64LE(64n, 32) // program headers
  elf.writeUInt16LE(64, 52)
  elf.writeUInt16LE(56, 54)
  elf.writeUInt16LE(1, 56)
  elf.writeUInt32LE(1, 64) // load
  elf.writeUInt32LE(5, 68) // to read and to execute
  elf.writeBigUInt64LE(BigInt(base), 80)
  elf.writeBigUInt64LE(BigInt(base), 88)
  elf.writeBigUInt64LE(BigInt(headers + body.length), 96)
  elf.writeBigUInt64LE(BigInt(headers + body.length), 104)
  elf.writeBigUInt64LE(0x1000n, 112)
  writeFileSync(file, Buffer.concat([elf, body]), { mode: 0o755 })
}
