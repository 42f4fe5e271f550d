import { describe, expect, it, vi } from 'vitest'
import { failureOf } from '../../../src/deployment/hostFailure.ts'
import { unreachableStatus } from '../../../src/deployment/hostStatus.ts'
import type { SurveyedHost, UnreachableHost } from '../../../src/deployment/survey.ts'
import { watchHost, watchIntervals } from '../../../src/deployment/watch/watchHost.ts'
import { OperatorError } from '../../../src/diagnostics/operatorError.ts'
import { TransportError } from '../../../src/transport/transportError.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { manualClock } from '../../support/manualClock.ts'

const host = hostConfig()
const lost = new TransportError({ host: host.name, code: 'connection-lost', message: 'cut', fix: 'none' })
const away: UnreachableHost = {
  host,
  failure: { code: 'connection-timeout', message: 'no route to db1', fix: 'none' },
  unreachable: true,
}

function watched(survey: () => Promise<SurveyedHost | UnreachableHost>, isWanted = () => true) {
  const clock = manualClock()
  let looks = 0
  const refresh = vi.fn(async (surveyed: SurveyedHost) => surveyed)
  const onChange = vi.fn()
  const watch = watchHost({
    ...{ host, survey, refresh, onChange, isWanted, after: clock.after },
    look: async () => {
      looks += 1
      const { status } = unreachableStatus(host, 'unreachable', '')
      return { status: { ...status, state: 'up' } }
    },
  })
  const turns = (count: number) => vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(count))
  return { watch, clock, turns, refresh, looks: () => looks }
}

function surveyedHost() {
  const close = vi.fn(async () => {})
  const surveyed: SurveyedHost = {
    host,
    transport: { ...fakeTransport({}), close },
    facts: hostFacts(),
    seconds: { connect: 0, facts: 0 },
  }
  return { surveyed, close }
}

describe('a watched host', () => {
  it('is connected to once, and looked at again over the same connection', async () => {
    const { surveyed, close } = surveyedHost()
    const survey = vi.fn(async () => surveyed)
    const { watch, clock, turns, refresh, looks } = watched(survey)
    watch.lookNow()
    await turns(1)
    expect(watch.seen()?.status.state).toBe('up')
    clock.advance(watchIntervals.well)
    await turns(2)
    expect(survey).toHaveBeenCalledTimes(1)
    expect(refresh).toHaveBeenCalledTimes(1)
    expect(looks()).toBe(2)
    await watch.close()
    expect(close).toHaveBeenCalledTimes(1)
  })

  it('is tried again soon while it is away, and says why', async () => {
    const survey = vi.fn(async () => away)
    const { watch, clock, turns } = watched(survey)
    watch.lookNow()
    await turns(1)
    expect(watch.seen()?.status).toMatchObject({ state: 'unreachable', detail: 'no route to db1' })
    clock.advance(watchIntervals.away)
    await turns(2)
    expect(survey).toHaveBeenCalledTimes(2)
    await watch.close()
  })

  it('is connected to anew after its connection was lost', async () => {
    const { surveyed, close } = surveyedHost()
    const survey = vi.fn(async () => surveyed)
    const { watch, clock, turns, refresh } = watched(survey)
    watch.lookNow()
    await turns(1)
    refresh.mockRejectedValueOnce(lost)
    clock.advance(watchIntervals.well)
    await turns(2)
    expect(close).toHaveBeenCalledTimes(1)
    expect(watch.seen()?.status.state).toBe('unreachable')
    clock.advance(watchIntervals.away)
    await turns(3)
    expect(survey).toHaveBeenCalledTimes(2)
    expect(watch.seen()?.status.state).toBe('up')
    await watch.close()
  })

  it('is left alone while nobody wants to know', async () => {
    const { surveyed } = surveyedHost()
    let wanted = true
    const { watch, clock, turns, looks } = watched(
      async () => surveyed,
      () => wanted,
    )
    watch.lookNow()
    await turns(1)
    clock.advance(watchIntervals.well)
    wanted = false
    await turns(2)
    expect(clock.pending()).toBe(0)
    clock.advance(10 * watchIntervals.well)
    expect(looks()).toBe(2)
    await watch.close()
  })

  it('keeps no connection that was opened while it was closed', async () => {
    const { surveyed, close } = surveyedHost()
    let connected = (_one: SurveyedHost): void => {}
    const { watch } = watched(
      () =>
        new Promise((resolve) => {
          connected = resolve
        }),
    )
    watch.lookNow()
    const closing = watch.close()
    connected(surveyed)
    await closing
    await vi.waitFor(() => expect(close).toHaveBeenCalledTimes(1))
  })

  it('keeps the connection of now when a call on the one before failed', async () => {
    const [first, second] = [surveyedHost(), surveyedHost()]
    const hosts = [first.surveyed, second.surveyed]
    const survey = vi.fn(async () => hosts.shift() ?? second.surveyed)
    const { watch, turns } = watched(survey)
    watch.lookNow()
    await turns(1)
    const surveyed = await watch.surveyed()
    for (let call = 0; call < 2; call += 1) watch.failed({ surveyed, error: lost })
    await turns(2)
    expect(await watch.surveyed()).toBe(second.surveyed)
    watch.failed({ surveyed, error: lost })
    await turns(3)
    expect(second.close).not.toHaveBeenCalled()
    expect(survey).toHaveBeenCalledTimes(2)
    await watch.close()
    expect(first.close).toHaveBeenCalledTimes(1)
    expect(second.close).toHaveBeenCalledTimes(1)
  })

  it('does not stay up while a survey hangs, and is up again when it ends', async () => {
    const { surveyed } = surveyedHost()
    const { watch, clock, turns, refresh } = watched(async () => surveyed)
    watch.lookNow()
    await turns(1)
    let end = (): void => {}
    refresh.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          end = () => resolve(surveyed)
        }),
    )
    clock.advance(watchIntervals.well)
    await vi.waitFor(() => expect(refresh).toHaveBeenCalled())
    clock.advance(watchIntervals.late)
    expect(watch.seen()?.status).toMatchObject({ state: 'failed', detail: 'it has not responded for 20 s' })
    end()
    await turns(3)
    expect(watch.seen()?.status.state).toBe('up')
    await watch.close()
    expect(clock.pending()).toBe(0)
  })

  it('is not known, and nothing else ends, when an error of the person stops its survey', async () => {
    const { watch, turns } = watched(async () => Promise.reject(new OperatorError('no password')))
    watch.lookNow()
    await turns(1)
    expect(watch.seen()?.status).toMatchObject({ state: 'failed', detail: 'no password' })
    await watch.close()
  })

  it('gives a caller the failure of the host in its own words', async () => {
    const { watch } = watched(async () => away)
    const failure = await watch.surveyed().catch(failureOf)
    expect(failure).toEqual(away.failure)
    await watch.close()
  })
})
