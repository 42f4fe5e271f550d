import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { eventsIn, smallPicture, startDashboard } from '../support/testDashboard.ts'

describe('the event stream of the dashboard', () => {
  it('is for sessions with a login alone', async () => {
    const { get } = await startDashboard()
    expect(await get('/dashboard/events')).toMatchObject({ status: 401, body: { code: 'login-required' } })
  })

  it('shows the clusters that the session is logged in to, and goes on by Last-Event-ID', async () => {
    const { post, openEvents, state } = await startDashboard()
    const { cookie = '' } = await post('/dashboard/login', {
      user: 'ada',
      password: 'right',
      cluster: 'north',
    })
    const first = await openEvents(cookie)
    expect(first.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    })
    await eventually(() => expect(eventsIn(first.text)).toHaveLength(1))
    const [snapshot] = eventsIn(first.text)
    expect(snapshot?.data).toMatchObject({ kind: 'snapshot', clusters: [{ name: 'north' }] })
    expect(state.followed).toEqual(['north'])
    first.response.destroy()
    state.pictures.set('north', smallPicture('north', 4))
    state.changed.get('north')?.()
    const second = await openEvents(cookie, { 'Last-Event-ID': snapshot?.id })
    await eventually(() => expect(eventsIn(second.text)).toMatchObject([{ data: { kind: 'datasource' } }]))
  })

  it('comments while nothing happens', async () => {
    const { logIn, openEvents } = await startDashboard({ streams: { comment: 20 } })
    const stream = await openEvents(await logIn())
    await eventually(() => expect(stream.text.split(':\n\n').length).toBeGreaterThan(3))
  })

  it('is one of 32 at most: the oldest of the user that has most goes', async () => {
    const { logIn, openEvents, get } = await startDashboard({ streams: { streams: 3 } })
    const [ada, eve] = [await logIn('ada'), await logIn('eve')]
    const streams = [
      await openEvents(eve),
      await openEvents(ada),
      await openEvents(ada),
      await openEvents(ada),
    ]
    await eventually(() => expect(streams.map(({ isEnded }) => isEnded)).toEqual([false, true, false, false]))
    expect((await get('/dashboard/session', ada)).body).toMatchObject({ state: 'in' })
  })

  it('is cut off where its viewer does not read, and no other viewer waits', async () => {
    const { logIn, openEvents, state, connections } = await startDashboard({
      streams: { waiting: 64 * 1024 },
    })
    const cookie = await logIn()
    const [slow, quick] = [await openEvents(cookie), await openEvents(cookie)]
    await eventually(() => expect(slow.text).toContain('snapshot'))
    slow.response.pause()
    const filler = 'x'.repeat(200_000)
    let round = 0
    await eventually(
      () => {
        round += 1
        const picture = smallPicture('north', round)
        const [host] = picture.hosts
        state.pictures.set('north', {
          ...picture,
          hosts: host ? [{ ...host, detail: `${round}${filler}` }] : [],
        })
        state.changed.get('north')?.()
        expect(connections()).toBe(1)
      },
      { interval: 110 },
    )
    expect(quick.isEnded).toBe(false)
    await eventually(() => expect(quick.text).toContain(`"appliedLatency":${round}`))
  })
})
