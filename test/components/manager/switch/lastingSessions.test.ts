import { describe, expect, it } from 'vitest'
import type { Session } from '../../../../src/components/databases/sessions.ts'
import { createLastingSessions } from '../../../../src/components/manager/switch/lastingSessions.ts'

const sessions = (...ids: readonly number[]): readonly Session[] =>
  ids.map((id) => ({ id, user: 'app', milliseconds: 0, isIdle: true, transaction: null }))

function world() {
  let time = 1000
  const waited: number[] = []
  const wait = async (milliseconds: number): Promise<void> => {
    waited.push(milliseconds)
    time += milliseconds
  }
  const lasting = createLastingSessions({ now: () => time, wait })
  return { lasting, waited, wait, ids: async () => [...(await lasting.of('alpha'))] }
}

describe('the sessions of a primary that last', () => {
  it('are those of a look that is old enough', async () => {
    const { lasting, wait, waited, ids } = world()
    lasting.note('alpha', sessions(1, 2))
    await wait(500)
    lasting.note('alpha', sessions(1, 2, 3))
    expect(await ids()).toEqual([1, 2])
    expect(waited).toEqual([500])
  })

  it('are waited for, since nobody is held meanwhile', async () => {
    const { lasting, wait, waited, ids } = world()
    lasting.note('alpha', sessions(1))
    await wait(200)
    expect(await ids()).toEqual([1])
    expect(waited).toEqual([200, 300])
  })

  it('are not known where nobody looked', async () => {
    const { waited, ids } = world()
    expect(await ids()).toEqual([])
    expect(waited).toEqual([])
  })

  it('are looked at anew after two minutes', async () => {
    const { lasting, wait, ids } = world()
    lasting.note('alpha', sessions(1))
    await wait(120_000)
    lasting.note('alpha', sessions(2))
    expect(await ids()).toEqual([2])
  })
})
