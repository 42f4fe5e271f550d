import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'
import { strictXml } from '../../output/diagnostics/strictXml.ts'
import { freePort } from '../../support/ports.ts'
import { writeSshKey } from '../../support/sshKey.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const port = await freePort()

/** A cluster of db1, on which nothing is installed, and db2, at whose SSH port nobody listens. */
function workplace(comment = '') {
  const folder = temporaryFolder()
  writeSshKey(join(folder, 'key'))
  writeFileSync(
    join(folder, 'alpha.yaml'),
    `cluster: alpha
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2] }
hosts:
  db1: { connection: local, options: { install-directory: run/db1 } }${comment}
  db2: { address: 127.0.0.1, ssh: { port: ${port}, identity: key, timeout: 2s } }
defaults: { rest-api-admin-user: admin, service-manager: process }
`,
  )
  return async (...argv: readonly string[]) => {
    const { context, out, err } = commandContext({ cwd: folder, env: { ...process.env, HOME: folder } })
    const code = await muster({ argv: ['users', 'verify', 'alpha.yaml', ...argv], context })
    return { code, stdout: out(), stderr: err() }
  }
}

const codes = ['user-not-installed', 'user-host-unreachable']

describe('muster users verify', () => {
  it('reports every finding with its place, and the verified logins', async () => {
    const { code, stdout } = await workplace()('--host', 'db1')
    expect(code).toBe(1)
    expect(stdout).toMatchInlineSnapshot(`
      "alpha.yaml:5:3 warning user-not-installed
        db1 is in the file, but nothing is installed there.
          |
        5 |   db1: { connection: local, options: { install-directory: run/db1 } }
          |   ^^^
        why: It has no users yet, so there is nothing to check.
        fix: Run muster install --host db1, or exclude the host with --host.

      1 warning. More about each: muster explain CODE
      No login could be verified.
      "
    `)
  })

  it('prints all formats of validate', async () => {
    const verify = workplace()
    const json = JSON.parse((await verify('--json')).stdout)
    expect(json.findings.map(({ code }: { code: string }) => code)).toEqual(codes)
    expect(json).toMatchObject({ findings: [{ host: 'db1' }, { host: 'db2' }], cluster: 'alpha', logins: [] })
    const sarif = JSON.parse((await verify('--format', 'sarif')).stdout)
    expect(sarif.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(codes)
    expect((await verify('--format', 'github')).stdout.match(/^::\w+ /gm)).toEqual(['::warning ', '::error '])
    const junit = strictXml((await verify('--format', 'junit')).stdout)
    expect(junit.attributes.name).toBe('muster users verify')
    // The warning fails the run, so it is red, too.
    expect(junit.children[0]?.attributes).toMatchObject({ tests: '2', failures: '2' })
  })

  it('exits with 4 if the only problem is an unreachable host', async () => {
    const verify = workplace()
    expect((await verify('--host', 'db2')).code).toBe(4)
    expect((await verify()).code).toBe(1)
  })

  it('applies comments that silence findings; other commands do not report them as unused', async () => {
    const verify = workplace(' # muster-ignore: user-not-installed it comes next week')
    expect(await verify('--host', 'db1')).toMatchObject({
      code: 0,
      stdout: 'The users of alpha match the file: no login could be verified (1 silenced).\n',
    })
  })
})
