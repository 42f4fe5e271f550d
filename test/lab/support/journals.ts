import { afterEach, beforeEach } from 'vitest'
import { runningLabs } from './lab.ts'
import type { LabHost } from './labTypes.ts'

const script =
  "journalctl -b --no-pager -o short-precise -n 20 --unit 'muster*' --unit mariadb --unit mysql 2>&1"

async function journalOf({ name, run }: LabHost): Promise<string> {
  const { code, stdout, stderr } = await run(script, { timeout: 10_000 })
  return `journal of ${name}\n${code === 0 ? stdout : stderr}`
}

// Within a file each test goes on where the one before ended; other files have hosts of their own, and run on.
let failed: string | undefined
beforeEach(({ skip }) => {
  if (failed !== undefined) skip(`after the failure of: ${failed}`)
})

// Nobody has to run a failed test again to see what its hosts wrote; .ci/report.js repeats it at the end of a run.
afterEach(async ({ task }) => {
  const [error] = task.result?.errors ?? []
  if (task.result?.state !== 'fail') return
  failed = task.name
  if (!error) return
  const hosts = [...runningLabs].flatMap((lab) => Object.values(lab.hosts))
  const journals = await Promise.all(hosts.map((host) => journalOf(host).catch((problem) => `${problem}`)))
  error.stack = [error.stack ?? error.message, ...journals].join('\n')
})
