import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, jsonValue, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuditFile } from '../../src/api/audit/auditFile.ts'
import { installedSet } from '../../src/deployment/installedSet.ts'
import { readChain, verifyChains } from '../../src/deployment/verifyAuditChains.ts'
import { auditChainsText } from '../../src/output/deployment/auditChains.ts'
import { fakeTransport } from '../support/fakeTransport.ts'
import { serverProgram } from '../support/serverProgram.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { targetOf } from './steps/target.ts'

const target = targetOf()
const { host, data } = target
const set = { ...installedSet(target), data, account: target.service }
const digest = 'ab'.repeat(32)
const intact = { lines: 3, first: 1, last: { seq: 3, digest }, unchained: 0, torn: 0, fault: null }

/** A host whose own program says so of every audit log. */
const hostThat = (result: { stdout?: string; stderr?: string; code?: number }) =>
  fakeTransport({ expect: [{ script: 'verify-audit', result }] })

describe('verifyChains', () => {
  it("runs the host's own program for each component", async () => {
    const transport = hostThat({ stdout: `${JSON.stringify(intact)}\n` })
    const chains = await verifyChains(transport, { host, set })
    expect(chains).toEqual(host.apis.map(({ component }) => ({ component, ...intact })))
    expect(transport.scripts[0]).toContain(`verify-audit --file ${data.auditFile('manager')}`)
    expect(auditChainsText([{ host: 'db1', chains }], false).split('\n')[0]).toBe(
      'db1 manager: intact, 3 lines, ends with line 3, abababababababab',
    )
  })

  it('returns the first invalid line, printable', async () => {
    const fault = { file: '/log/a\u001b[2J\nb', line: 7, reason: 'it was changed' }
    const transport = hostThat({ code: 1, stdout: JSON.stringify({ ...intact, fault }) })
    const chains = await verifyChains(transport, { host, set })
    const text = auditChainsText([{ host: 'db1', chains: chains.slice(0, 1) }], true)
    expect(text).toContain('first at /log/a\\x1b[2J / b line 7: it was changed\n')
  })

  it.each([
    [{ code: 1, stderr: 'sh: not found' }, 'could not be read: sh: not found'],
    [{ code: 0, stdout: 'junk' }, 'no result was returned'],
  ])('fails without a verdict of the host: %j', async (result, message) => {
    await expect(verifyChains(hostThat(result), { host, set })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    })
  })

  it('never throws for any output of a host', () => {
    assert(
      property(string(), (text) => {
        expect(readChain('manager', text)).toBeUndefined()
      }),
    )
    assert(
      property(jsonValue(), jsonValue(), (last, fault) => {
        const chain = readChain('manager', JSON.stringify({ ...intact, last, fault }))
        if (chain?.fault) expect(typeof chain.fault.reason).toBe('string')
        if (chain?.last) expect(chain.last.digest).toMatch(/^[0-9a-f]{64}$/)
      }),
    )
  })
})

describe('muster-api verify-audit', () => {
  it('prints the verdict and fails for an invalid line', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl')
    const file = createAuditFile(path)
    await file.append('{"n":1}\n{"n":2}\n', { sync: true })
    await file.close()
    const run = () =>
      spawnSync(process.execPath, [serverProgram, 'verify-audit', '--file', path], { encoding: 'utf8' })
    const good = run()
    expect([good.status, readChain('manager', good.stdout)]).toMatchObject([0, { lines: 2, fault: null }])
    writeFileSync(path, execFileSync('sed', ['s/"n":2/"n":3/', path]))
    const bad = run()
    expect([bad.status, readChain('manager', bad.stdout)?.fault]).toMatchObject([1, { line: 2 }])
  })
})
