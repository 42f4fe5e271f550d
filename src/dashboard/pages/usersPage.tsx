import type { ClusterUsers } from '../../contracts/dashboard.ts'
import { ActionsButton } from '../actions/actionsButton.tsx'
import { Failures } from '../parts/failures.tsx'
import { Heading } from '../parts/heading.tsx'
import { HostNames } from '../parts/hostNames.tsx'
import { Icon } from '../parts/icon.tsx'
import { Loaded, ReloadButton, useLoaded } from '../parts/loaded.tsx'
import type { ClusterState } from '../state/clusters.ts'
import { byName, count, shown } from '../text/words.ts'
import { groupHosts } from './userGroups.ts'

/** Who may log in where, and where hosts differ. */
export function UsersPage({ cluster }: { readonly cluster: ClusterState }) {
  const loaded = useLoaded<ClusterUsers>('users', { cluster: cluster.name })
  return (
    <>
      <Heading title="Users">
        <p class="muted grow">
          Who may log in to the REST APIs of {shown(cluster.name)}, and at which level.
        </p>
        <ReloadButton of={loaded} />
        <ActionsButton
          target={{ kind: 'new-user', cluster: cluster.name, done: loaded.reload }}
          label="Add a user"
        />
      </Heading>
      <Loaded
        of={loaded}
        what="the users"
        show={(users) => <Matrix cluster={cluster} users={users} reload={loaded.reload} />}
      />
    </>
  )
}

type Props = {
  readonly cluster: ClusterState
  readonly users: ClusterUsers
  readonly reload: () => void
}

function Matrix({ cluster, users, reload }: Props) {
  const groups = groupHosts(users)
  const names = users.users
    .map(({ user, access }, index) => ({ user, access, index }))
    .sort((one, other) => byName(one.user, other.user))
  const differing = names.filter(({ access }) => new Set(access).size > 1)
  return (
    <>
      <Failures failures={users.failures} />
      <section class="card" aria-label="Users">
        <p class={differing.length === 0 ? 'muted' : 'warn inline'}>
          {differing.length === 0 ? (
            `All ${count(users.hosts.length, 'host')} have the same users.`
          ) : (
            <>
              <Icon name="alert" />
              <strong>
                Hosts differ in {count(differing.length, 'user')}:{' '}
                {shown(differing.map(({ user }) => user).join(', '))}
              </strong>
            </>
          )}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also with a keyboard */}
        <section class="scrolls" aria-label="Users and hosts" tabIndex={0}>
          <table class="matrix">
            <thead>
              <tr>
                <th scope="col">User</th>
                {groups.map(({ hosts }) => (
                  <th scope="col">
                    <HostNames hosts={hosts} />
                  </th>
                ))}
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {names.map(({ user, access, index }) => {
                const usual = groups[0]?.access[index] ?? null
                return (
                  <tr key={user}>
                    <th scope="row">
                      {shown(user)}
                      {new Set(access).size > 1 && <span class="sub warn">differs</span>}
                    </th>
                    {groups.map((group) => (
                      <td class={(group.access[index] ?? null) === usual ? '' : 'differs'}>
                        {group.access[index] ?? <span class="muted">no such user</span>}
                      </td>
                    ))}
                    <td class="actions">
                      <ActionsButton target={{ kind: 'user', cluster: cluster.name, user, done: reload }} />
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </section>
        <p class="muted">
          read may look. operate may also change states, policies and the primary. full may do everything.
        </p>
      </section>
    </>
  )
}
