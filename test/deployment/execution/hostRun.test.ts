import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeploymentEvent } from '../../../src/deployment/events.ts'
import { execute } from '../../../src/deployment/execution/execute.ts'
import type { HostWork } from '../../../src/deployment/execution/hostRun.ts'
import type { PlannedStep } from '../../../src/deployment/hostPlan.ts'
import { runOrThrow } from '../../../src/deployment/runOrThrow.ts'
import { change, type StepPhase } from '../../../src/deployment/step.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'

type Step = PlannedStep['step']

let folder: string
let host: Transport
/** Scripts on the way at the same time, at most. */
let together: number

/** The transport with its runs counted. */
function counted(transport: Transport, count = { now: 0 }): Transport {
  const { chain } = transport
  return {
    ...transport,
    run: async (script, options) => {
      count.now += 1
      together = Math.max(together, count.now)
      return transport.run(script, options).finally(() => {
        count.now -= 1
      })
    },
    ...(chain === undefined ? {} : { chain: () => counted(chain(), count) }),
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-flights-'))
  host = counted(await connectLocal({ host: 'db1', env: process.env }))
  together = 0
})

afterEach(async () => {
  await host.close()
  await rm(folder, { recursive: true, force: true })
})

/** A step that leaves its name on the host, then does what else it is told. */
const step = (id: string, phase: StepPhase, what: Partial<Step> & { readonly more?: string } = {}): Step => ({
  id,
  title: id,
  phase,
  batchable: true,
  apply: async (to) => {
    const script = `echo ${id} >> ${folder}/done; ${what.more ?? ''}`
    await runOrThrow(to, { script, doing: id, fix: 'mend it' })
  },
  ...what,
})

const done = async (): Promise<string> => (await readFile(`${folder}/done`, 'utf8')).replaceAll('\n', ' ')

async function run(
  steps: readonly Step[],
  {
    signal = new AbortController().signal,
    onEvent = () => {},
    ...more
  }: Pick<HostWork, 'snapshot'> & { readonly signal?: AbortSignal; readonly onEvent?: () => void } = {},
) {
  const events: DeploymentEvent[] = []
  const outcomes = await execute({
    hosts: [
      {
        host: 'db1',
        transport: host,
        steps: steps.map((one) => ({ step: one, change: change(one.id) })),
        ...more,
      },
    ],
    emit: (event) => {
      events.push(event)
      if (event.type === 'step-started') onEvent()
    },
    signal,
    clock: () => 0,
  })
  const told = events.flatMap((event) => ('step' in event ? `${event.type} ${event.step}` : []))
  return { outcome: outcomes[0], told }
}

describe('batchable steps', () => {
  it('share a round trip within their phase and are reported in order', async () => {
    const { outcome, told } = await run([
      step('a', 'stage', { more: 'sleep 0.2' }),
      step('b', 'stage'),
      step('c', 'stage'),
      step('d', 'commit'),
    ])
    expect(together).toBe(3)
    expect(await done()).toBe('a b c d ')
    expect(outcome?.applied).toEqual(['a', 'b', 'c', 'd'])
    expect(told).toEqual(['a', 'b', 'c', 'd'].flatMap((id) => [`step-started ${id}`, `step-done ${id}`]))
  })

  it('are separated by a step that is not batchable', async () => {
    const alone = step('b', 'commit')
    const { batchable: _, ...asking } = alone
    await run([step('a', 'commit'), asking, step('c', 'commit')])
    expect(together).toBe(1)
    expect(await done()).toBe('a b c ')
  })

  it('are skipped after a failed one, which is undone with those before it', async () => {
    const restoreSteps = async (to: Transport, begun: readonly string[]): Promise<void> => {
      for (const id of begun) await to.run(`echo not-${id} >> ${folder}/done`)
    }
    const steps = [
      step('a', 'commit'),
      step('b', 'commit', { more: 'echo no >&2; exit 3' }),
      step('c', 'commit'),
    ]
    const { outcome, told } = await run(steps, { snapshot: { restoreSteps } })
    expect(together).toBe(3)
    expect(await done()).toBe('a b not-b not-a ')
    expect(outcome?.failure?.message).toBe('b failed: no\nUndone: b, a.')
    expect(told).toEqual([
      'step-started a',
      'step-done a',
      'step-started b',
      'step-undone b',
      'step-undone a',
    ])
  })

  it('are completed together if the run is interrupted', async () => {
    const stop = new AbortController()
    const steps = [step('a', 'stage'), step('b', 'stage'), step('c', 'commit')]
    const { outcome } = await run(steps, { signal: stop.signal, onEvent: () => stop.abort() })
    expect(await done()).toBe('a b ')
    expect(outcome).toMatchObject({ result: 'not-started', applied: ['a', 'b'] })
  })
})
