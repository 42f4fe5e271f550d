import { chooseRuntime } from '../runtime/chooseRuntime.ts'
import { StepError } from '../stepError.ts'
import { type Check, failures, ok } from './checkContract.ts'
import { isSupported } from './systemCheck.ts'

/** Checks the Node.js that runs the components: the host's own or one that is sent. */
export const runtimeCheck: Check = {
  id: 'runtime',
  // An installation finds the same problem later, when --runtime-file and installed releases are known.
  describe: ({ host, facts }, { ownNode }) => {
    if (!isSupported(facts)) return ok('no Node.js for this system')
    try {
      const choice = chooseRuntime({ host, facts, ownNode })
      if (choice.kind === 'host') return ok(`its own Node.js ${choice.version}, ${choice.path}`)
      const sent = facts.installation.runtimes.includes(choice.id)
      return ok(`Node.js ${choice.version}, ${sent ? 'already sent' : 'will be sent'}`)
    } catch (error) {
      if (error instanceof StepError) return failures([error])
      throw error
    }
  },
}
