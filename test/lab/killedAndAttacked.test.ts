import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trustAuthority } from './scenario/apiFromHost.ts'
import { asAttacker, type Canary, canaryOn, clusters, traps } from './scenario/attacker.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { currentOf, entered, must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import type { Outcome } from './support/execute.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const older = '0.0.1-0123456789ab'

describe.skipIf(labHere.missing)(`an upgrade that is killed and then attacked${labHere.needs}`, () => {
  let lab: Lab
  let operator: Operator
  const { password } = makeSentinel()

  beforeAll(async () => {
    lab = await startLab({ hosts: clusters.map(({ host }) => host) })
    operator = createOperator(lab, 'operator', password)
  })
  afterAll(() => lab?.stop())

  describe.each(clusters)(
    'of components that run by $manager',
    ({ manager, host: name, cluster, folders }) => {
      const user = `muster-${cluster}`
      const file = `${cluster}.yaml`
      let host: LabHost
      let canary: Canary
      let newest = ''

      /** Options that change settings and units with each number. */
      const rewrite = (number: number): void => {
        const defaults = [
          `service-manager: ${manager}`,
          `service-tasks-max: ${200 + number}`,
          `connector-drain-timeout: ${10 + number}s`,
        ]
        operator.write(
          file,
          clusterFile(lab, { cluster, topology: 'clustered', hosts: [{ name }], defaults }),
        )
      }
      const done = (outcome: Outcome): Outcome => {
        expect(outcome, outcome.stdout + outcome.stderr).toMatchObject({ code: 0 })
        return outcome
      }
      /** Leaves no more in the folders of the service user than its users; what was begun ends then. */
      const clear = async (): Promise<void> => {
        await must(
          host,
          `for f in ${folders.state} ${folders.log}; do cd $f && find . -mindepth 1 ! -name users.json -delete; done`,
        )
        done(await operator.muster(['upgrade', '--yes', file]))
        done(await operator.muster(['restart', '--yes', file]))
        expect(await currentOf(host)).toBe(newest)
        expect(await entered(host, { port: 8090, password })).toBe(200)
      }

      beforeAll(async () => {
        host = hostOf(lab, name)
        rewrite(0)
        done(await operator.muster(['install', '--yes', file]))
        await trustAuthority(host, join(operator.directory, '.muster', cluster, 'authority.crt'))
        newest = await currentOf(host)
        await must(host, `cd /opt/muster/releases; cp -a ${newest} ${older}; rm -f ${older}/.activated`)
        canary = canaryOn(host)
        await canary.place()
      })

      it('goes on past every trap, whichever step it was killed at', async () => {
        const begun: string[] = []
        // Each run is killed one step later, until one ends before it is.
        for (let last = false; !last; ) {
          done(await operator.muster(['rollback', '--yes', '--to', older, file]))
          await must(host, `rm -r /opt/muster/releases/${newest}`)
          const at = begun.length
          rewrite(at + 1)
          const killed = await operator.muster(['upgrade', '--yes', '--json', file], {
            killWhen: (stdout) => stdout.split('"step-started"').length - 1 > at,
          })
          const steps = [...killed.stdout.matchAll(/"step-started","host":"[^"]*","step":"([^"]*)"/g)]
          begun.push(steps[at]?.[1] ?? 'the end')
          last = killed.code !== 124
          const trap = Object.values(traps)[at % Object.keys(traps).length]
          await asAttacker(host, user, trap?.(folders) ?? '')
          for (const words of [['plan'], ['status'], ['upgrade', '--yes', '--lock-wait', '1m']]) {
            const { stdout, stderr, code } = await operator.muster([...words, file])
            const said = `${begun.at(-1)}: ${words.join(' ')}: ${code}\n${stdout}${stderr}`
            expect(await canary.harm(stdout + stderr), said).toEqual([])
            expect(said).not.toMatch(/\n\s+at .*:\d+:\d+\)?$/m)
          }
          const left = await must(
            host,
            `find ${folders.state} ${folders.log} -user root; find /opt/muster \\( -path ${folders.state} -o -path ${folders.log} \\) -prune -o \\( -name '*.new*' -o -name '.muster-*' \\) -print`,
          )
          expect(left, begun.join()).toBe('')
          await clear()
        }
        expect(begun).toEqual(expect.arrayContaining(['release', 'activate', 'services', 'the end']))
      })
    },
  )
})
