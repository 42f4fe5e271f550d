import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exitCodes } from '../../../src/cli/exitCodes.ts'
import { holdTimes, median } from '../../support/writeLoad.ts'
import { eventually } from '../support/eventually.ts'
import { labHere } from '../support/requirements.ts'
import { sql } from './databases.ts'
import { type Disturber, disturbedTables, disturbersOf } from './disturbers.ts'
import type { ServerKind } from './serverKind.ts'
import { type SwitchCluster, startSwitchCluster } from './switchCluster.ts'

/** Words of a switch that did not take place and left everything as it was. */
const explained = /nothing was changed|is still the primary|cannot be switched now/

/** Number of switches; 0 for one with each disturber. */
const wanted = Number(process.env.MUSTER_LAB_SWITCHES || 0)
/** A run is repeated with the seed that it printed. */
const seed = process.env.MUSTER_LAB_SEED || 'muster'
const clients = { each: 12, kept: 12 } as const

type Round = {
  readonly end: 'complete' | 'incomplete' | 'refused'
  readonly said: string
  /** Milliseconds that each client was held. */
  readonly held: readonly number[]
}

/** The disturbers of all rounds: each of them before one comes again, in an order that the seed tells. */
function drawn(disturbers: readonly Disturber[]): readonly Disturber[] {
  const place = (deck: number, { name }: Disturber): string =>
    createHash('sha256').update(`${seed} ${deck} ${name}`).digest('hex')
  const switches = wanted || disturbers.length
  const decks = Array.from({ length: Math.ceil(switches / disturbers.length) }, (_, deck) =>
    disturbers.toSorted((a, b) => (place(deck, a) < place(deck, b) ? -1 : 1)),
  )
  return decks.flat().slice(0, switches)
}

/** Tests switches of servers of a kind, each with one disturber. */
export function testDisturbedSwitches(kind: ServerKind): void {
  const title = `a switch of ${kind.name} under a load, while one thing disturbs it${labHere.needs}`
  describe.skipIf(labHere.missing)(title, () => {
    let lab: SwitchCluster
    beforeAll(async () => {
      lab = await startSwitchCluster([], kind)
      await sql(await lab.install(), disturbedTables)
      await lab.settled()
      // Its base may have to be made first.
    }, 3_600_000)
    afterAll(() => lab?.stop())

    /** Makes one switch while the disturber is at work, and returns how it ended and what it said. */
    async function disturbed(disturber: Disturber, about: string): Promise<Round> {
      const from = await lab.primary()
      const to = lab.after(from)
      const third = lab.after(to)
      const load = lab.load(clients)
      const more = (): Promise<unknown> => {
        const had = load.acknowledged.length
        return eventually(`${about}: rows of the clients`, () => load.acknowledged.length > had + 50, {
          timeout: 60_000,
        })
      }
      await more()
      const disturbance = await disturber.begin(lab, { from, to, third })
      const begin = performance.now()
      const { code, stdout, stderr } = await lab.switchTo(to, third)
      const window = { begin, end: performance.now() }
      const said = `${stdout}${stderr}`.replaceAll(/\s+/g, ' ')
      await disturbance.stop()

      const isComplete = code === 0
      const isIncomplete = code === exitCodes.incomplete
      const context = `${about}, ${from.name} to ${to.name}, ended with ${code}: ${said}`
      if (disturber.refused) expect(isComplete || isIncomplete, context).toBe(false)
      if (isIncomplete) {
        const who = disturber.mayBeIncomplete ? from.name : '\\S+'
        expect(said, context).toMatch(new RegExp(`${who} does not follow ${to.name}`))
      } else if (!isComplete) {
        // A busy machine is a reason to go back for any of them; those that refuse it have their own.
        expect(said, context).toMatch(disturber.refused ?? explained)
        // Words of a server are no reason that anybody can do something about.
        expect(said, context).not.toMatch(/reported ERROR/)
      }
      const isRefused = !isComplete && !isIncomplete
      // Before anything is repaired: nobody may make good what the switch promised.
      const onPrimary = isRefused ? from : to
      if (!disturber.mayBeIncomplete)
        expect(await disturbance.lost(onPrimary), `${context}; lost on ${onPrimary.name}`).toEqual([])
      await disturbance.repair()
      await more()
      await load.stop()
      const { missing } = await lab.missing(load)
      expect(missing, `${context}; lost rows of clients`).toEqual({ db1: [], db2: [], db3: [] })
      expect((await lab.settled()).name, context).toBe(onPrimary.name)
      if (!disturber.mayBeIncomplete) {
        for (const it of lab.members) {
          expect(await disturbance.lost(it), `${context}; lost on ${it.name}`).toEqual([])
        }
      }
      await sql(onPrimary, 'TRUNCATE shop.disturbed; UPDATE shop.heartbeat SET seq = 0')
      await lab.settled()
      const end = isComplete ? 'complete' : isIncomplete ? 'incomplete' : 'refused'
      return { end, said, held: holdTimes(load, window, [window]) }
    }

    it('loses no row, or says why it did not take place', async () => {
      const sampler = lab.sample()
      const ends: string[] = []
      const held: number[] = []
      try {
        for (const [round, disturber] of drawn(disturbersOf(kind)).entries()) {
          const about = `${kind.name}, seed ${seed}, round ${round + 1}, ${disturber.name}`
          const begun = performance.now()
          const {
            end,
            said,
            held: heldNow,
          } = await disturbed(disturber, about).catch((cause: unknown) => {
            // A report has the message alone.
            throw new Error(`${about}: ${(cause as Error).message}`, { cause })
          })
          if (!disturber.refused) ends.push(end)
          if (end === 'complete') held.push(...heldNow)
          const seconds = Math.round((performance.now() - begun) / 1000)
          const why = end === 'refused' && !disturber.refused ? `: ${said}` : ''
          process.stdout.write(`${about}: ${end} after ${seconds} s${why}\n`)
          expect(sampler.overlaps(), `${about}: two servers could be written`).toEqual([])
        }
      } finally {
        await sampler.stop()
      }
      const most = held.reduce((a, b) => Math.max(a, b), 0)
      process.stdout.write(
        `${kind.name}: complete switches held clients for ${Math.round(median(held))} ms, ${Math.round(most)} ms at most\n`,
      )
      // One that always goes back would lose no row either.
      expect(ends.filter((it) => it !== 'refused').length, ends.join()).toBeGreaterThan(ends.length / 4)
    })
  })
}
