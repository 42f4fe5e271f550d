import { baseImage } from './baseImage.ts'
import { labFolder } from './folders.ts'
import { installed, labHere } from './requirements.ts'

/** Makes the base of all hosts once before the tests: files that begin at the same time would each make it. */
export async function setup(): Promise<void> {
  if (labHere.missing) return
  const emulated = process.arch !== 'arm64' && installed('qemu-aarch64-static')
  await Promise.all([baseImage(labFolder()), ...(emulated ? [baseImage(labFolder(), { arm64: true })] : [])])
}
