import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { succeed } from './execute.ts'

const folder = '/proc/sys/fs/binfmt_misc'
const name = 'qemu-aarch64'

/**
 * Lets the kernel run programs for arm64 in QEMU, in every host of the lab: Debian's line for it names a flag by which
 * the kernel opens QEMU once, here (binfmt_misc). Throws if this kernel or this machine cannot.
 */
export async function enableArm64(): Promise<void> {
  if (process.arch === 'arm64' || existsSync(`${folder}/${name}`)) return
  if (!existsSync(`${folder}/register`)) await succeed('mount', ['-t', 'binfmt_misc', 'binfmt_misc', folder])
  const line = readFileSync(`/usr/lib/binfmt.d/${name}.conf`, 'utf8')
  writeFileSync(`${folder}/register`, line)
}
