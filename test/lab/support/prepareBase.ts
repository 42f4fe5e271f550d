import { baseImage } from './baseImage.ts'
import { labFolder } from './folders.ts'
import { labHere } from './requirements.ts'

/** Makes the base of all hosts once before the tests: files that begin at the same time would each make it. */
export async function setup(): Promise<void> {
  if (!labHere.missing) await baseImage(labFolder())
}
