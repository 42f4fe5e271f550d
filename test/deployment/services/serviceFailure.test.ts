import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import {
  serviceFailure,
  shortenLogLine,
  startOrThrow,
} from '../../../src/deployment/services/serviceFailure.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'

const set = {
  manager: 'systemd' as const,
  cluster: 'alpha',
  layout: layoutOf('/opt/muster/alpha'),
  account: { user: 'muster', group: 'muster', isOther: true },
  data: serviceData('systemd', { root: '/opt/muster/alpha', cluster: 'alpha' }),
  components: ['manager', 'replicator'] as const,
  drainTimeout: 0,
}

const says = (stdout: string) => fakeTransport({ expect: [{ script: 'journalctl', result: { stdout } }] })

const shown = (of: Readonly<Record<string, string | number>>, log = ''): string =>
  `${Object.entries(of)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')}\n${log}`

const failed = { ActiveState: 'failed', SubState: 'failed', Result: 'exit-code', ExecMainCode: 1 }

describe('the failure of a component', () => {
  it.each([
    [{ ...failed, ExecMainStatus: 203, NRestarts: 0 }, 'result exit-code, exit status 203/EXEC'],
    [{ ...failed, ExecMainStatus: 1, NRestarts: 4 }, 'result exit-code, exit status 1, restarted 4 times'],
    [
      { ...failed, Result: 'core-dump', ExecMainCode: 3, ExecMainStatus: 11 },
      'result core-dump, killed by SIGSEGV',
    ],
    [{ ...failed, Result: 'start-limit-hit', ExecMainCode: 0 }, 'result start-limit-hit'],
    [{ ActiveState: 'inactive', Result: '\u001b[2J' }, undefined],
    [{ ActiveState: 'active', Result: 'success' }, undefined],
    [{ ActiveState: 'active', Result: 'success', NRestarts: 1 }, 'restarted once'],
    [{ ActiveState: 'activating', SubState: 'start', Result: 'success' }, undefined],
    [{ ActiveState: 'activating', SubState: 'start', Result: 'success', NRestarts: 2 }, 'restarted 2 times'],
    [{}, undefined],
  ])('is read from systemd: %j', async (properties, result) => {
    const found = await serviceFailure(says(shown(properties)), set, 'manager')
    expect(found.result).toBe(result)
  })

  it('ends with the last five lines of its log, printable and bounded', async () => {
    const log = ['ActiveState=failed', '', 'one', 'two', 'three', '\u202efour', 'x'.repeat(5000)].join('\n')
    const found = await serviceFailure(says(shown({}, log)), set, 'manager')
    expect(found.runs).toBe(true)
    expect(found.lines.map((line) => line.slice(0, 12))).toEqual([
      'one',
      'two',
      'three',
      '\\u202efour',
      `…${'x'.repeat(11)}`,
    ])
    expect(found.lines[4]?.length).toBe(1001)
  })

  it('is the end of its log without systemd', async () => {
    const host = fakeTransport({
      expect: [{ script: 'manager.log', result: { stdout: '\nResult=exit-code\n\nbye\n' } }],
    })
    expect(await serviceFailure(host, { ...set, manager: 'process' }, 'manager')).toEqual({
      runs: true,
      lines: ['Result=exit-code', 'bye'],
    })
  })
})

describe('a start that systemd rejects', () => {
  const options = { script: 'systemctl start', doing: 'starting the components', fix: 'Fix it.' }
  const refusal = {
    script: 'systemctl start',
    result: { code: 1, stderr: 'Job failed. See "systemctl status muster-alpha-manager.service"' },
    times: 1,
  }

  it('is reported with result and journal of each unit that does not run', async () => {
    const host = fakeTransport({
      expect: [
        {
          script: 'muster-alpha-manager',
          result: { stdout: shown({ ...failed, ExecMainStatus: 203 }, 'Failed to execute node\n') },
        },
        { script: 'muster-alpha-replicator', result: { stdout: shown({ ActiveState: 'active' }) } },
        refusal,
      ],
    })
    await expect(startOrThrow(host, set, options)).rejects.toMatchObject({
      code: 'step-failed',
      message:
        'starting the components failed: the manager does not run (result exit-code, exit status 203/EXEC). Its log ends:\nFailed to execute node',
      fix: 'Fix it.',
    })
  })

  it('reports each unit that does not run on a line of its own', async () => {
    const down = shown({ ...failed, ExecMainStatus: 203, NRestarts: 0 }, 'Failed to execute node\n')
    const host = fakeTransport({ expect: [{ script: 'journalctl', result: { stdout: down } }, refusal] })
    await expect(startOrThrow(host, set, options)).rejects.toThrow(
      'failed: the manager does not run (result exit-code, exit status 203/EXEC). Its log ends:\n      Failed to execute node\nthe replicator does not run (',
    )
  })

  it('is reported in the words of the script if every unit runs', async () => {
    const host = fakeTransport({
      expect: [{ script: 'journalctl', result: { stdout: shown({ ActiveState: 'active' }) } }, refusal],
    })
    await expect(startOrThrow(host, set, options)).rejects.toThrow(
      'starting the components failed: Job failed.',
    )
  })
})

describe('a shortened log line', () => {
  it.each([
    [
      '{"level":"info","time":"2026-11-22T14:03:10.732Z","cluster":"alpha","signal":"SIGTERM","msg":"stopping"}',
      '2026-11-22T14:03:10.732Z info stopping',
    ],
    ['{"msg":"stopping"}', 'stopping'],
    ['{"level":30,"msg":"stopping"}', 'stopping'],
    ['{"level":"info"}', '{"level":"info"}'],
    ['{"msg":7}', '{"msg":7}'],
    ['null', 'null'],
    ['muster-api: cannot listen on 127.0.0.1:8096', 'muster-api: cannot listen on 127.0.0.1:8096'],
  ])('%s', (line, short) => {
    expect(shortenLogLine(line)).toBe(short)
  })

  it('never fails', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        expect(shortenLogLine(line)).toBeTypeOf('string')
      }),
    )
  })
})
