import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFile } from './scenario/clusterFile.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

/**
 * Rows of the fault table (deployment.md) that want a real kernel: file systems that take no more, and another
 * machine-id. While the fault lasts what runs goes on as it was; the next run after it ends what was wanted.
 */
describe.skipIf(labHere.missing)(`a fault of a Debian host${labHere.needs}`, () => {
  let lab: Lab
  let db1: LabHost
  let operator: Operator
  let level: 'debug' | 'info' = 'info'

  const words = ({ stdout, stderr }: Outcome) => `${stdout}${stderr}`
  /** Gives every run something to do. */
  const wish = () => {
    level = level === 'info' ? 'debug' : 'info'
    const defaults = [`log-level: ${level}`]
    const hosts = [{ name: 'db1' }]
    operator.write(
      'alpha.yaml',
      clusterFile(lab, { cluster: 'alpha', topology: 'clustered', hosts, defaults }),
    )
  }
  const install = (...args: readonly string[]) => operator.muster(['install', '--yes', ...args, 'alpha.yaml'])
  const settled = async () => {
    const outcome = await install()
    expect(outcome, words(outcome)).toMatchObject({ code: 0 })
    const plan = await operator.muster(['plan', 'alpha.yaml'])
    expect(plan, words(plan)).toMatchObject({ code: 0 })
  }
  const run = async (script: string): Promise<string> => {
    const outcome = await db1.run(script)
    expect(outcome, words(outcome)).toMatchObject({ code: 0 })
    return outcome.stdout
  }
  /** What is installed and what runs, but for what the components themselves write. */
  const asItIs = () =>
    run(
      'cd /opt/muster && find . -path "./.before*" -prune -o -path ./log -prune -o -path ./share/state -prune -o -path ./run -prune -o -name deployment.jsonl -o -type f -exec sha256sum {} + | sort; readlink current; systemctl show -p MainPID --value "muster-alpha-*"',
    )

  beforeAll(async () => {
    lab = await startLab({ hosts: ['db1'] })
    db1 = hostOf(lab, 'db1')
    operator = createOperator(lab, 'operator', makeSentinel().password)
    await run('mkdir -p /opt && mount -t tmpfs -o size=700m tmpfs /opt')
    wish()
    await settled()
  })
  afterAll(() => lab?.stop())

  it('of a disk that is full at a write', async () => {
    wish()
    const before = await asItIs()
    await run('cat /dev/zero >/opt/filler 2>/dev/null; [ -s /opt/filler ]')
    const outcome = await install()
    expect(outcome.code, words(outcome)).toBe(1)
    expect(words(outcome)).toMatch(/No space left on device/)
    expect(words(outcome)).toMatch(/fix: (Free space there: df -h|See that) \/opt\/muster/)
    await run('rm /opt/filler')
    expect(await asItIs()).toBe(before)
    await settled()
    expect(await run('ls -A /opt/muster | grep before || true')).toBe('')
  })

  it('of a folder that is read-only', async () => {
    wish()
    const before = await asItIs()
    // Beneath what runs, which has files open there and keeps them.
    await run('mount --bind /opt/muster /opt/muster && mount -o remount,bind,ro /opt/muster')
    const outcome = await install()
    expect(outcome.code, words(outcome)).toBe(1)
    expect(words(outcome)).toContain('its file system is read-only')
    await run('umount /opt/muster')
    expect(await asItIs()).toBe(before)
    await settled()
  })

  it('of an address that is now another machine', async () => {
    wish()
    const before = await asItIs()
    const own = await run('cat /etc/machine-id')
    await run('echo ffffffffffffffffffffffffffffffff >/etc/machine-id')
    const outcome = await install()
    expect(outcome.code, words(outcome)).toBe(1)
    expect(words(outcome)).toContain('db1: is not the machine that was installed')
    expect(words(outcome)).toContain(`${own.slice(0, 8)}…`)
    expect(await asItIs()).toBe(before)
    const replaced = await install('--replaced', 'db1')
    expect(replaced, words(replaced)).toMatchObject({ code: 0 })
    const record = readFileSync(join(operator.directory, '.muster/alpha/machines.json'), 'utf8')
    expect(JSON.parse(record).machines).toEqual({ db1: 'f'.repeat(32) })
    await settled()
  })
})
