import { quote } from '../../base/shellWords.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { creation, type Step } from '../step.ts'
import type { StepTarget } from '../target.ts'

/** Creates the system user of the services and records that muster did, because uninstall removes no other. */
export function systemUserStep(target: StepTarget): Step {
  const { service, layout } = target
  const user = quote(service.user)
  const marker = quote(layout.madeUser)
  return {
    id: 'system-user',
    title: `create the system user ${service.user}`,
    phase: 'stage',
    batchable: true,
    check: (facts) =>
      service.systemUser && facts.userGroup === undefined
        ? creation(`create the system user ${service.user}`)
        : undefined,
    apply: async (transport) => {
      await runOrThrow(transport, {
        doing: `creating the system user ${service.user}`,
        fix: 'Create it by hand, or set `user` to one that exists.',
        script: `set -e
umask 022
mkdir -p ${quote(layout.share)}
chmod 755 ${quote(layout.root)} ${quote(layout.share)}
if ! id ${user} >/dev/null 2>&1; then
  printf '%s\\n' ${user} > ${marker}
  useradd --system --user-group --no-create-home --home-dir ${quote(layout.root)} --shell "$(command -v nologin || echo /bin/false)" ${user} || { rm -f ${marker}; exit 1; }
fi`,
      })
    },
  }
}
