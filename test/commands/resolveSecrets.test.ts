import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { muster } from '../../src/commands/program.ts'
import { commandContext } from '../config/commandContext.ts'
import { good } from '../config/loadText.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

/** What `muster plan` says to a file whose administrator has this password. */
async function planned(password: string): Promise<{ readonly code: number; readonly err: string }> {
  const cwd = temporaryFolder()
  const text = good.replace('admin\n', `admin\n  rest-api-admin-password: ${password}\n`)
  writeFileSync(join(cwd, 'muster.yaml'), text)
  const { context, err } = commandContext({ cwd, env: { PATH: process.env.PATH, HOME: cwd } })
  const code = await muster({ argv: ['plan'], context })
  return { code, err: err() }
}

it('stops plan and install with the option, its place, the reason and the fix', async () => {
  expect(await planned('!env ADMIN_PASS')).toEqual({
    code: 1,
    err: 'error: rest-api-admin-password (muster.yaml:4:33) cannot be read: the environment variable ADMIN_PASS is not set. [variable-missing]\n  fix: Set it for this command, for example: read -rs ADMIN_PASS && export ADMIN_PASS\n',
  })
  expect((await planned('!file ../none')).err).toMatch(
    /^error: rest-api-admin-password \(muster\.yaml:4:34\) cannot be read: the file \.\.\/none does not exist\. \[file-missing\]\n/,
  )
  expect((await planned('!exec [sh, -c, "echo hunter2; echo no hunter2 >&2; exit 3"]')).err).toMatch(
    /cannot be read: the program sh ended with code 3 and said: no \[redacted\]\. \[program-failed\]\n/,
  )
})
