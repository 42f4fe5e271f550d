import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { watchedCall } from '../../../src/deployment/services/watchedCall.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { rawResult } from '../../support/rawResult.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

/** What systemctl shows of a unit, look by look; the last stays. */
type Looks = readonly string[]

const active = 'ActiveState=active\nSubState=running'
const waiting = 'ActiveState=activating\nSubState=auto-restart'

/** Runs a call beside a systemctl that shows the units so, with seconds that are short. */
async function run(options: {
  /** sh; `$folder` is the test's own, and `look N` there is a file once a unit was looked at that often. */
  readonly call: string
  readonly units?: { readonly manager?: Looks; readonly connector?: Looks }
  readonly folder?: string
  readonly stdin?: string
  /** What its seconds last here, in seconds. */
  readonly second?: number
}) {
  const { call, units, stdin = '', folder = temporaryFolder(), second = 0.02 } = options
  const put = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}`)
    chmodSync(join(folder, name), 0o755)
  }
  put('sleep', `exec /bin/sleep ${second}\n`)
  for (const [component, looks] of Object.entries(units ?? {})) {
    for (const [index, look] of looks.entries()) {
      const [state, restarts] = look.split(' ')
      writeFileSync(join(folder, `${component}-${index}`), `${state}\nNRestarts=${restarts}\n`)
    }
  }
  put(
    'systemctl',
    `for unit; do :; done
c=\${unit#muster-a-}; c=\${c%.service}
n=$(cat ${folder}/$c.looks 2>/dev/null || echo 0)
cat ${folder}/$c-$n || exit 1
[ ! -e ${folder}/$c-$((n + 1)) ] || n=$((n + 1))
echo "$n" > ${folder}/$c.looks
`,
  )
  put('call', `folder=${folder}\necho $$ > ${folder}/pid\n${call}\n`)
  const transport = await connectLocal({ host: 'db1', env: process.env })
  const script = watchedCall(join(folder, 'call'), {
    manager: units === undefined ? 'process' : 'systemd',
    cluster: 'a',
    layout: layoutOf(join(folder, "muster b'")),
    account: { user: 'root', isOther: false },
    components: ['manager', 'connector'],
  })
  const result = await transport.run(`PATH=${folder}:$PATH\n${script}`, { stdin, timeout: 20_000 })
  await transport.close()
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  return { ...rawResult(result), folder, lives: existsSync(`/proc/${pid}`) }
}

const forever = 'exec /bin/sleep 60'
/** Ends well once the manager was looked at that often. */
const after = (looks: number): string =>
  `until [ "$(cat $folder/manager.looks 2>/dev/null || echo 0)" -ge ${looks} ]; do /bin/sleep 0.02; done; echo answered`
const ended = (component: string) => ({
  code: 0,
  stdout: `[{"id":"${component}","error":{"code":"ended","message":"it ended after its start"}}]\n`,
  stderr: '',
  lives: false,
})

describe.skipIf(process.platform !== 'linux')('a call that waits for components (needs Linux)', () => {
  it('gets its input, and an immediate response needs no check', async () => {
    const units = { manager: ['ActiveState=failed 0'] }
    const outcome = await run({ call: 'sed s/a/b/', stdin: 'an answer', units, second: 60 })
    expect(outcome).toMatchObject({ code: 0, stdout: 'bn answer', stderr: '' })
    expect(existsSync(join(outcome.folder, 'manager.looks'))).toBe(false)
  })

  it('reports its own failure', async () => {
    expect(await run({ call: 'echo wrong >&2; exit 3' })).toMatchObject({ code: 3, stderr: 'wrong\n' })
  })

  it.each([
    ['has given up', ['ActiveState=failed\nSubState=failed 4']],
    ['has seen it end well', ['ActiveState=inactive\nSubState=dead 0']],
    ['has begun it for the second time', [`${active} 0`, `${waiting} 0`, `${active} 1`, `${waiting} 1`]],
    ['has begun it twice between two looks', [`${active} 7`, `${active} 9`]],
  ])('is ended if the service manager %s', async (_, connector) => {
    const outcome = await run({ call: forever, units: { manager: [`${active} 0`], connector } })
    expect(outcome).toMatchObject(ended('connector'))
  })

  it.each([
    ['runs', [`${active} 0`, `${active} 0`, `${active} 0`, `${active} 0`]],
    ['ended once, and runs again', [`${active} 3`, `${waiting} 3`, `${active} 4`, `${active} 4`]],
    [
      'waits for its next start, which newer versions call failed meanwhile',
      [
        `${active} 0`,
        'ActiveState=failed\nSubState=failed-before-auto-restart 0',
        `${waiting} 0`,
        `${active} 1`,
      ],
    ],
    ['is not told of', []],
  ])('continues if a unit %s', async (_, looks) => {
    const manager = [...looks]
    const call = looks.length === 0 ? '/bin/sleep 0.3; echo answered' : after(looks.length - 1)
    const outcome = await run({ call, units: { manager, connector: [`${active} 0`] } })
    expect(outcome).toMatchObject({ code: 0, stdout: 'answered\n', lives: false })
  })

  it('is ended if a process has ended, and not while it runs', async () => {
    const folder = temporaryFolder()
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const processes = join(folder, "muster b'", 'share/processes')
    mkdirSync(processes, { recursive: true })
    const start = async (component: string) => {
      const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore' })
      await once(child, 'spawn')
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      const born = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
      writeFileSync(join(processes, component), `${child.pid} ${born} ${boot}`)
      return child
    }
    const [manager, connector] = [await start('manager'), await start('connector')]
    try {
      const running = await run({ folder, call: '/bin/sleep 0.5; echo answered' })
      expect(running).toMatchObject({ code: 0, stdout: 'answered\n' })
      connector.kill()
      expect(await run({ folder, call: forever })).toMatchObject(ended('connector'))
    } finally {
      manager.kill()
      connector.kill()
    }
  })
})
