import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findingFormats } from '../../src/cli/formatOption.ts'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'
import { strictXml } from '../output/diagnostics/strictXml.ts'
import { freePort } from '../support/ports.ts'
import { createServerCertificate } from '../support/serverCertificate.ts'
import { writeSshKey } from '../support/sshKey.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const port = await freePort()

/** A cluster of db1, on which nothing is installed, and db2, at whose SSH port nobody listens. */
function workplace(comment = '', more = '') {
  const folder = temporaryFolder()
  writeSshKey(join(folder, 'key'))
  writeFileSync(
    join(folder, 'alpha.yaml'),
    `cluster: alpha
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2], witnesses: [db3] }
hosts:
  db1: { connection: local, options: { install-directory: run/db1 } }${comment}
  db2: { address: 127.0.0.1, ssh: { port: ${port}, identity: key, timeout: 2s } }
  db3: { address: 10.0.0.13 }
defaults: { rest-api-admin-user: admin, service-manager: process }
${more}`,
  )
  return async (...argv: readonly string[]) => {
    const { context, out, err } = commandContext({
      cwd: folder,
      env: { ...process.env, HOME: folder },
      packageDirectory: process.cwd(),
      now: () => new Date(),
    })
    const code = await muster({ argv: ['drift', 'alpha.yaml', ...argv], context })
    return { code, stdout: out(), stderr: err() }
  }
}

describe('muster drift', () => {
  it('reports a host that is not installed as one difference, exit code 2', async () => {
    const { code, stdout } = await workplace()('--host', 'db1', '--json')
    expect(code).toBe(2)
    const report = JSON.parse(stdout)
    const failing = report.findings.filter(({ severity }: { severity: string }) => severity !== 'note')
    expect(failing.map((one: { code: string }) => one.code)).toEqual(['drift-changes'])
    expect(failing[0].message).toMatch(/^db1 differs from the file; install would make \d+ changes: /)
    expect(report).toMatchObject({
      cluster: 'alpha',
      hosts: [
        {
          host: 'db1',
          state: 'checked',
          installed: false,
          changes: expect.arrayContaining([expect.any(String)]),
        },
      ],
    })
  })

  it('reports an unreachable host once, exit code 4, and 2 beside one that differs', async () => {
    const drift = workplace()
    const alone = await drift('--host', 'db2', '--json')
    expect(alone.code).toBe(4)
    expect(JSON.parse(alone.stdout).findings.map(({ code }: { code: string }) => code)).toEqual([
      'drift-host-unreachable',
    ])
    expect((await drift('--host', 'db[12]')).code).toBe(2)
  })

  it.each(findingFormats)('prints %s without progress of its own', async (format) => {
    const { code, stdout, stderr } = await workplace()('--host', 'db[12]', '--format', format)
    expect(code).toBe(2)
    expect(stderr).not.toMatch(/db1|db2|error/)
    expect(stdout).toContain('drift-changes')
    expect(stdout).toContain('drift-host-unreachable')
    if (format === 'junit') strictXml(stdout)
  })

  it('tells a webhook what differs, and nothing if nothing does', async () => {
    const certificate = createServerCertificate()
    const told: string[] = []
    const server = createServer({ key: certificate.key, cert: certificate.chain }, (request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      request.on('end', () => {
        told.push(body)
        response.end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const ca = join(temporaryFolder(), 'ca.pem')
    writeFileSync(ca, certificate.chain)
    const notify = `notify:\n  - { url: 'https://127.0.0.1:${(server.address() as AddressInfo).port}/', on: [drift], ca: ${ca} }\n`
    expect((await workplace('', notify)('--host', 'db1')).code).toBe(2)
    expect(told.map((text) => JSON.parse(text))).toMatchObject([
      {
        event: 'drift',
        operation: 'drift',
        exit: 2,
        outcome: 'failed',
        title: 'alpha: drift has 1 finding',
        hosts: [{ host: 'db1', message: expect.stringMatching(/^db1 differs from the file; /) }],
      },
    ])
    expect((await workplace(' # muster-ignore: drift-changes later', notify)('--host', 'db1')).code).toBe(0)
    expect(told).toHaveLength(1)
  })

  it('takes a comment of the file that silences a finding', async () => {
    const drift = workplace(' # muster-ignore: drift-changes db1 comes next week')
    const { code, stdout } = await drift('--host', 'db1')
    expect({ code, silenced: stdout.includes('silenced') }).toEqual({ code: 0, silenced: true })
  })
})
