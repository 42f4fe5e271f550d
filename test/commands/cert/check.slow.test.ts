import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { muster } from '../../../src/commands/muster.ts'
import { commandContext } from '../../config/commandContext.ts'
import { strictXml } from '../../output/diagnostics/strictXml.ts'
import { freePort } from '../../support/ports.ts'
import { writeSshKey } from '../../support/sshKey.ts'

const folder = mkdtempSync(join(tmpdir(), 'cert-'))
let port = 0

/** Two hosts on which nothing is installed; `down` is one at whose SSH port nobody listens. */
function describeCluster(options: { readonly down?: boolean; readonly comment?: string } = {}): void {
  const { comment = '' } = options
  const local = (directory: string, first: number): string =>
    `{ connection: local, options: { install-directory: ${directory}, manager-rest-api-port: ${first}, replicator-rest-api-port: ${first + 1} } }`
  const second = options.down
    ? `{ address: 127.0.0.1, ssh: { port: ${port}, identity: key, timeout: 2s } }`
    : local('run/db2', 28090)
  writeFileSync(
    join(folder, 'alpha.yaml'),
    `cluster: alpha
services:
  alpha:
    topology: clustered
    master: db1
    members: [db1, db2]
    witnesses: [w1]
hosts:
  db1: ${local('run/db1', 18090)}${comment}
  db2: ${second}${comment}
  w1: ${local('run/w1', 38090)}${comment}
defaults: { rest-api-admin-user: admin, service-manager: process }
`,
  )
}

async function cert(...argv: string[]) {
  const { context, out, err } = commandContext({ cwd: folder, env: { ...process.env, HOME: folder } })
  const code = await muster({ argv: ['cert', ...argv], context })
  return { code, stdout: out(), stderr: err() }
}

beforeAll(async () => {
  port = await freePort()
  writeSshKey(join(folder, 'key'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('muster cert check', () => {
  it('reports every finding with its place, and exits with 1', async () => {
    describeCluster()
    const { code, stdout } = await cert('check', 'alpha.yaml', '--host', 'db1')
    expect(code).toBe(1)
    expect(stdout).toMatchInlineSnapshot(`
      "alpha.yaml:9:3 warning certificate-not-installed
        db1 is in the file, but nothing is installed there.
          |
        9 |   db1: { connection: local, options: { install-directory: run/db1, manag…
          |   ^^^
        why: It has no certificate yet, so there is nothing to check.
        fix: Run muster install --host db1, or exclude the host with --host.

      1 warning. More about each: muster explain CODE
      "
    `)
  })

  it('prints all formats of validate', async () => {
    describeCluster({ down: true })
    const codes = ['certificate-not-installed', 'certificate-host-unreachable', 'certificate-not-installed']
    const { findings } = JSON.parse((await cert('check', 'alpha.yaml', '--json')).stdout)
    expect(findings.map(({ code }: { code: string }) => code)).toEqual(codes)
    expect(findings.map(({ host }: { host: string }) => host)).toEqual(['db1', 'db2', 'w1'])
    const sarif = JSON.parse((await cert('check', 'alpha.yaml', '--format', 'sarif')).stdout)
    expect(sarif.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(codes)
    expect((await cert('check', 'alpha.yaml', '--format', 'github')).stdout.match(/^::\w+ /gm)).toHaveLength(
      3,
    )
    const junit = (await cert('check', 'alpha.yaml', '--format', 'junit')).stdout
    expect(strictXml(junit).attributes).toEqual({ name: 'muster cert check' })
    expect(junit).toContain('certificate-host-unreachable')
    // Warnings fail the run, so they are red, too.
    expect(strictXml(junit).children[0]?.attributes).toMatchObject({ tests: '3', failures: '3' })
  })

  it('exits with 4 if the only problem is an unreachable host', async () => {
    describeCluster({ down: true })
    expect((await cert('check', 'alpha.yaml', '--host', 'db2')).code).toBe(4)
    expect((await cert('check', 'alpha.yaml')).code).toBe(1)
    expect((await cert('list', 'alpha.yaml')).code).toBe(4)
  })

  it('applies comments that silence findings, and reports none of them as unused', async () => {
    describeCluster({ comment: ' # muster-ignore: certificate-not-installed, unused-host next week' })
    const { code, stdout } = await cert('check', 'alpha.yaml')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'The certificates of alpha are valid: 3 hosts, 0 APIs (3 silenced).\n',
    })
  })

  it('contacts no host if the file has errors (exit code 1) or is missing (3)', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'cluster: alpha\n')
    expect(await cert('check', 'bad.yaml', '--json')).toMatchObject({ code: 1, stdout: '' })
    expect(await cert('check', 'none.yaml')).toMatchObject({ code: 3, stdout: '' })
  })
})
