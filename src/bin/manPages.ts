import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manPages } from '../cli/help/manPage.ts'
import { musterProgram } from '../commands/muster.ts'
import { tapiProgram } from '../tapi/tapi.ts'
import { createProcessContext } from './processContext.ts'

/** Writes the manual pages of both programs to dist/man; a step of the build. */
const folder = 'dist/man'
const context = createProcessContext('Stopped.')
const done = (): void => {}
const programs = [
  musterProgram({ context, done }),
  tapiProgram({ context, machine: { name: '', addresses: [] }, done }),
]
mkdirSync(folder, { recursive: true })
for (const program of programs) {
  for (const [file, text] of await manPages(program, context.version)) writeFileSync(join(folder, file), text)
}
