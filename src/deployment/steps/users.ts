import { Secret } from '../../secrets/secret.ts'
import { quote } from '../../transport/shellWords.ts'
import type { HostFacts } from '../facts/model.ts'
import { mustRun } from '../script.ts'
import { change, type Step } from '../step.ts'
import type { Target } from '../target.ts'
import { userHash } from '../users.ts'

/**
 * The administrator: `muster-api put-user` writes the hash into the host's user file under the file's own
 * lock, so that users made through the API meanwhile are kept. The password never leaves this machine.
 */
export function usersStep(target: Target): Step {
  const { layout, user, release } = target
  const title = user === undefined ? 'no administrator' : `give the administrator ${user.user} its password`
  const check = (facts: HostFacts): ReturnType<Step['check']> => {
    if (user?.hash === undefined) return undefined
    const is = userHash(facts.installation.users, user.user)
    if (is === user.hash) return undefined
    return change(
      is === undefined ? `create the administrator ${user.user}` : `reset the password of ${user.user}`,
      [`share/users/users.json: ${user.user}: [redacted] ${is === undefined ? 'new' : 'changed'}`],
    )
  }
  return {
    id: 'users',
    title,
    phase: 'commit',
    atOnce: true,
    check,
    apply: async (transport) => {
      if (user?.hash === undefined) return
      const folder = quote(`${layout.releases}/${release.id}`)
      await mustRun(transport, {
        doing: `giving the administrator ${user.user} its password`,
        fix: `Look at ${layout.usersFile} on the host, then install again.`,
        stdin: new Secret(JSON.stringify({ user: user.user, access: 'full', hash: user.hash })),
        script: `${folder}/node ${folder}/muster-api.cjs put-user --file ${quote(layout.usersFile)}`,
      })
    },
  }
}
