import { describe, expect, it } from 'vitest'
import type { HostFacts } from '../../src/deployment/facts/hostFacts.ts'
import { installPlan } from '../../src/deployment/plans/installPlan.ts'
import { StepError } from '../../src/deployment/stepError.ts'
import { Secret } from '../../src/secrets/secret.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { TransportError } from '../../src/transport/transportError.ts'
import { hostFacts, installationFacts } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'
import { finishedFacts, hash, runtime, targetOf } from './steps/target.ts'

/** One step of the plan for a host with these facts. */
function stepOf(
  id: string,
  facts: HostFacts = hostFacts(),
): { readonly apply: (transport: Transport) => Promise<void> } {
  const target = targetOf({ facts })
  const step = installPlan({
    target,
    packed: () => ({ bytes: Buffer.from('packed'), sha256: '0'.repeat(64) }),
  }).find((one) => one.id === id)
  if (step === undefined) throw new Error(`no step ${id}`)
  return { apply: (transport) => step.apply(transport, facts) }
}

const failureOf = async (work: Promise<unknown>): Promise<StepError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof StepError)) throw new Error(`no StepError: ${error}`)
  return error
}

describe('applying a step', () => {
  const finished = finishedFacts(targetOf())

  it('writes only the files that differ', async () => {
    const files = new Map(finished.installation.files)
    files.delete('/opt/muster/share/tls/chain.pem')
    const facts = { ...finished, installation: { ...finished.installation, files } }
    const host = fakeTransport({})
    await stepOf('stores', facts).apply(host)
    expect(host.uploads).toMatchObject([
      { path: '/opt/muster/share/tls/chain.pem', mode: 0o640, owner: 'root:muster-alpha' },
    ])
    expect(host.scripts).toEqual([])
  })

  it('creates no folder if only the manifest differs', async () => {
    const files = new Map(finished.installation.files)
    files.delete('/opt/muster/share/installation.json')
    const facts = { ...finished, installation: { ...finished.installation, files } }
    const host = fakeTransport({})
    await stepOf('directories', facts).apply(host)
    expect(host.uploads.map(({ path }) => path)).toEqual(['/opt/muster/share/installation.json'])
    expect(host.scripts).toEqual([])
  })

  it('sets no owner without root', async () => {
    const facts = hostFacts({ uid: 1000, login: 'ops', group: 'ops', systemd: false })
    const host = fakeTransport({})
    await stepOf('settings', facts).apply(host)
    expect(host.uploads.map(({ path, owner }) => [path, owner])).toEqual([
      ['/opt/muster/share/manager.json', undefined],
      ['/opt/muster/share/connector.json', undefined],
      ['/opt/muster/share/replicator.json', undefined],
    ])
  })

  it('passes on the error of a failed write', async () => {
    const full = new TransportError({
      host: 'db1',
      code: 'write-failed',
      message: 'No space left on device',
      fix: 'Free space.',
    })
    const host = fakeTransport({ onUpload: () => full })
    await expect(stepOf('stores').apply(host)).rejects.toBe(full)
  })

  it('passes the hash on standard input and never the password', async () => {
    let stdin: unknown
    const host = fakeTransport({
      expect: [
        {
          script: 'put-user --file',
          result: (_, options) => {
            stdin = options.stdin
            return {}
          },
        },
      ],
    })
    await stepOf('users').apply(host)
    expect(stdin).toBeInstanceOf(Secret)
    expect(stdin instanceof Secret ? JSON.parse(stdin.reveal()) : stdin).toEqual({
      user: 'admin',
      access: 'full',
      hash,
    })
    expect(host.scripts.join('')).not.toContain('scrypt')
    expect(host.scripts.join('')).not.toContain('the password')
  })

  it('fails with the last five lines of the host and a fix', async () => {
    const stderr = 'zero\none\ntwo\nthree\nJob for muster-alpha-manager.service failed.\nSee journalctl.\n'
    const host = fakeTransport({ expect: [{ script: 'systemctl', result: { code: 1, stderr } }] })
    const error = await failureOf(stepOf('services').apply(host))
    expect({ host: error.host, code: error.code, message: error.message }).toEqual({
      host: 'db1',
      code: 'step-failed',
      message:
        'starting the components failed: one / two / three / Job for muster-alpha-manager.service failed. / See journalctl.',
    })
    expect(error.fix).not.toBe('')
  })

  it('reports the exit code of a host without output', async () => {
    const host = fakeTransport({ expect: [{ script: 'mv -fT', result: { code: 7 } }] })
    const error = await failureOf(stepOf('activate').apply(host))
    expect(error.message).toMatch(/^switching to release .* failed: exit code 7$/)
  })

  it('rejects a runtime of another version', async () => {
    for (const [stdout, says] of [
      ['v24.0.1\n', 'version v24.0.1'],
      ['', 'no version'],
    ]) {
      const host = fakeTransport({ expect: [{ script: runtime.id, result: { stdout: stdout ?? '' } }] })
      const error = await failureOf(stepOf('runtime').apply(host))
      expect(error.code).toBe('runtime-unfit')
      expect(error.message).toBe(`the copied runtime reports ${says}`)
    }
    const host = fakeTransport({ expect: [{ script: runtime.id, result: { stdout: 'v24.0.0\n' } }] })
    await stepOf('runtime').apply(host)
  })

  it('records the digest of a component only after its start', async () => {
    const host = fakeTransport({ expect: [{ script: /systemctl start[\s\S]*share\/applied\/manager/ }] })
    await stepOf('services').apply(host)
    expect(host.scripts).toHaveLength(1)
    expect(host.scripts[0]).toMatch(/\|\| exit 1\nprintf/)
  })

  it('removes a component with its unit', async () => {
    const target = targetOf()
    const apis = target.host.apis.filter(({ component }) => component !== 'connector')
    const smaller = targetOf({ host: { apis }, facts: finished })
    const step = installPlan({ target: smaller, packed: () => undefined }).find(({ id }) => id === 'obsolete')
    const host = fakeTransport({ expect: [{ script: '' }] })
    await step?.apply(host, finished)
    expect(host.scripts[0]).toContain('systemctl stop muster-alpha-connector.service')
    expect(host.scripts[0]).toContain('rm -f /etc/systemd/system/muster-alpha-connector.service')
    expect(host.scripts[0]).toContain(
      'rm -f /opt/muster/share/applied/connector /opt/muster/share/connector.json',
    )
    expect(host.scripts[0]).not.toContain('manager.json')
    expect(host.scripts[0]).not.toContain('muster-alpha-manager')
    // What calls changed goes once all is proved, with the rights of the service user.
    expect(host.scripts[0]).not.toContain('/var/lib')
  })

  it('records the system user that it creates', async () => {
    const facts = hostFacts({ installation: installationFacts() })
    const host = fakeTransport({ expect: [{ script: 'useradd --system' }] })
    await stepOf('system-user', facts).apply(host)
    expect(host.scripts[0]).toMatch(/> \/opt\/muster\/share\/made-user[\s\S]*useradd/)
  })
})
