import { judgeSystem } from '../../judge/system.ts'
import { chooseRuntime } from '../../runtime/choose.ts'
import { StepError } from '../../stepError.ts'
import type { Check } from '../subject.ts'
import { failures, ok } from '../verdict.ts'

/** Which Node.js runs the components: the host's own or one that is sent. */
export const runtime: Check = {
  id: 'runtime',
  judge: ({ host, facts }, { ownNode }) => {
    if (judgeSystem(host, facts).length > 0) return ok('none for this system')
    try {
      const choice = chooseRuntime({ host, facts, ownNode })
      if (choice.kind === 'host') return ok(`its own Node.js ${choice.version}, ${choice.path}`)
      const sent = facts.installation.runtimes.includes(choice.id)
      return ok(`Node.js ${choice.version}, ${sent ? 'sent already' : 'to be sent'}`)
    } catch (error) {
      if (error instanceof StepError) return failures([error], [])
      throw error
    }
  },
}
