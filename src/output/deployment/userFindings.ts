import type { HostUsers } from '../../deployment/users/hostUsers.ts'
import { type UserFinding, untried } from '../../deployment/users/judgeUsers.ts'
import { counted, listOf, shortListOf } from '../../diagnostics/words.ts'
import { withoutUnseen } from '../diagnostics/unseen.ts'
import { wrap } from '../diagnostics/wrap.ts'
import { paint } from './paint.ts'

type Shown = {
  readonly cluster: string
  readonly hosts: readonly HostUsers[]
  readonly findings: readonly UserFinding[]
}

/** Every finding with what, why and fix; what could not be tried; and at the end what was proved. */
export function userFindingsText({
  cluster,
  hosts,
  findings,
  width,
  colour,
}: Shown & { readonly width: number; readonly colour: boolean }): string {
  const { red, bold } = paint(colour)
  const part = (first: string, text: string): readonly string[] =>
    wrap(withoutUnseen(text), { width, first, rest: '       ' })
  const blocks = findings.map(({ host, code, message, why, fix }) =>
    [
      ...wrap(withoutUnseen(`${host}: ${message} [${code}]`), { width, first: 'error ', rest: '  ' }).map(
        (line, index) =>
          index === 0 ? line.replace(/^error (\S+:)/, `${red('error')} ${bold('$1')}`) : line,
      ),
      ...part('  why: ', why),
      ...part('  fix: ', fix),
    ].join('\n'),
  )
  const notes = [...untried(hosts)].flatMap(([user, of]) =>
    wrap(
      withoutUnseen(
        `note: nobody could log in as ${user} on ${shortListOf(of, 8)}: the password is not known here. Give it in rest-api-users, or make one with \`muster users apply --generate\`.`,
      ),
      { width, first: '', rest: '  ' },
    ),
  )
  const parts = [
    ...blocks,
    ...(notes.length > 0 ? [notes.join('\n')] : []),
    summary(cluster, hosts, findings),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The same for programs. */
export const userFindingsJson = ({ cluster, hosts, findings }: Shown): string =>
  `${JSON.stringify(
    {
      cluster,
      findings,
      logins: hosts.flatMap(({ host, components }) =>
        components.flatMap(({ component, logins }) =>
          [...logins].map(([user, said]) => ({ host, component, user, in: said === 'in' })),
        ),
      ),
      untried: [...untried(hosts)].map(([user, of]) => ({ user, hosts: of })),
    },
    null,
    2,
  )}\n`

function summary(cluster: string, hosts: readonly HostUsers[], findings: readonly UserFinding[]): string {
  const entered = hosts.flatMap(({ components }) =>
    components.flatMap(({ logins }) => [...logins].filter(([, said]) => said === 'in').map(([user]) => user)),
  )
  const apis = hosts.flatMap(({ components }) => components).length
  const users = [...new Set(entered)]
  const proved =
    users.length === 0
      ? 'no login could be proved'
      : `${counted(entered.length, 'login')} proved on ${counted(apis, 'API')}: ${listOf(users)}`
  if (findings.length === 0) return `The users of ${cluster} are as the file says: ${proved}.`
  const where = [...new Set(findings.map(({ host }) => host))]
  return `${counted(findings.length, 'finding')} on ${shortListOf(where, 8)}; ${proved}.`
}
