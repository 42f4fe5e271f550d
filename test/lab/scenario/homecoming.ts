import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import type { LabHost } from '../support/labTypes.ts'
import { sql } from './databases.ts'
import type { SwitchCluster } from './switchCluster.ts'

// time: who is not back by then waits for a person.
const patience = 60_000
// time: a whole cluster is seen as one in less.
const pause = 5_000

/** Does what an answer of the product names; undefined where it names nothing that a person could do. */
function actionFor(lab: SwitchCluster, host: LabHost, words: string): (() => Promise<unknown>) | undefined {
  const { unit } = lab.cluster.kind
  const start = `systemctl reset-failed ${unit}; systemctl start ${unit}`
  if (/kill its process/.test(words)) return () => host.run(`systemctl kill -s SIGKILL ${unit}; ${start}`)
  // It ends by itself where its disk is full, which may be after it was not any more.
  if (/Start the database/.test(words)) return () => host.run(start)
  if (/The (applier|receiver) is stopped/.test(words)) {
    return async () => {
      const { code, stdout, stderr } = await lab.tapi(host, '--component', 'replicator', 'online')
      if (code !== 0) throw new Error(`tapi ended with ${code}: ${stdout}${stderr}`)
    }
  }
  if (/muster provision/.test(words)) return () => makeAnew(lab, host)
  return undefined
}

/** Makes a server one that has only what the primary has: by `muster provision`, and on MySQL by hand. */
async function makeAnew(lab: SwitchCluster, host: LabHost): Promise<void> {
  const { kind, operator } = lab.cluster
  const primary = await lab.primary()
  if (kind.type === 'mariadb') {
    const { code, stdout, stderr } = await operator.muster(['provision', host.name, '--yes', 'alpha.yaml'])
    if (code !== 0) throw new Error(`muster provision ended with ${code}: ${stdout}${stderr}`)
    return
  }
  const keysOf = async (it: LabHost): Promise<readonly string[]> =>
    (await lab.ask(it, 'SELECT client, seq FROM shop.load_rows')).map(
      ({ client, seq }) => `(${client}, ${seq})`,
    )
  const has = new Set(await keysOf(primary))
  const own = (await keysOf(host)).filter((it) => !has.has(it))
  const undoing =
    own.length === 0 ? 'DO 0' : `DELETE FROM shop.load_rows WHERE (client, seq) IN (${own.join()})`
  await sql(host, kind.stop)
  await sql(host, kind.forgetOwn(undoing, await lab.position(primary)))
}

/** Returns what the product says of a server that is not back; empty for one that is. */
async function whyAway(lab: SwitchCluster, host: LabHost): Promise<string> {
  const asked = lab.after(host)
  const { state, reason, role } = await lab.cluster.source(asked, host.name)
  const { writer } = await lab.cluster.service(asked)
  if (state === 'ONLINE' && writer.reason === null) return ''
  const { stdout, stderr } = await lab.tapi(asked, 'datasource', 'recover', host.name, '--yes')
  const words = `${host.name} is ${state} as ${role}: ${reason}; writer: ${writer.reason}; recover: ${stdout}${stderr}`
  return words.replaceAll(/\s+/g, ' ')
}

/**
 * Waits until the cluster is whole by itself. Where it stays away, asks the product why, and does what it names. Returns
 * those answers, and what was left without one.
 */
export async function comeHome(
  lab: SwitchCluster,
): Promise<{ readonly person: readonly string[]; readonly defects: readonly string[] }> {
  const person: string[] = []
  const defects: string[] = []
  /** Looks again and again, and goes on with each look: one that began at a server which was killed then waits in vain. */
  async function settling(): Promise<boolean> {
    const end = performance.now() + patience
    const looks: Promise<boolean>[] = []
    do {
      looks.push(
        lab.settled().then(
          () => true,
          () => delay(patience, false),
        ),
      )
      if (await Promise.race([...looks, delay(pause, false)])) return true
    } while (performance.now() < end)
    return false
  }
  // One person's action may lead to the next; a third one leads nowhere.
  for (let round = 0; !(await settling()); round += 1) {
    if (round === 3) return { person, defects: [...defects, 'the cluster is not whole'] }
    for (const host of lab.members) {
      const words = await eventually(`the words about ${host.name}`, () => whyAway(lab, host))
      if (words === '') continue
      person.push(words)
      try {
        await actionFor(lab, host, words)?.()
      } catch (error) {
        defects.push(`what ${host.name} needed failed: ${(error as Error).message}`)
      }
    }
  }
  return { person, defects }
}
