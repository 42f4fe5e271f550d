import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'
import { writeTinyRuntime } from '../../scenarios/support/tinyRuntime.ts'
import { root } from '../../support/pages.ts'

/** A folder with muster.yaml and a small runtime for the tests of a suite, in which `muster render` runs. */
export function renderFolder(options: {
  readonly engine: 'ansible' | 'bundle' | 'cloud-init'
  /** Content of muster.yaml. */
  readonly text: string
  /** Password of the administrator, in the environment. */
  readonly password: string
}) {
  const { engine, text, password } = options
  let folder = ''
  const path = (...names: string[]): string => join(folder, ...names)
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'render-'))
    writeTinyRuntime(path('node'))
    writeFileSync(path('muster.yaml'), text)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const render = async (...argv: string[]) => {
    const { context, out, err } = commandContext({
      cwd: folder,
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: path('config'), ADMIN_PASS: password },
      packageDirectory: root,
      now: () => new Date(),
    })
    const given = ['--runtime-file', path('node'), '--arch', process.arch === 'arm64' ? 'arm64' : 'x64']
    const code = await muster({ argv: ['render', engine, ...given, ...argv], context })
    return { code, stdout: out(), stderr: err() }
  }
  return { path, render }
}
