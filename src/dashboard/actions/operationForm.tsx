import { useComputed, useSignal } from '@preact/signals'
import { maximumPassword, passwordProblems, userNameProblems } from '../../contracts/credentialRules.ts'
import type { TaskPayload } from '../../contracts/managerPayloads.ts'
import { goTo } from '../state/goTo.ts'
import { clusters } from '../state/stream.ts'
import { listText, shown } from '../text/words.ts'
import { target as openTarget, type Target } from './actionTarget.ts'
import { callHosts, type Outcome } from './callApi.ts'
import { type Given, type Operation, receiversOf } from './operations.ts'
import { Outcomes } from './outcomes.tsx'
import { SwitchPlan } from './switchPlan.tsx'

type Props = { readonly target: Target; readonly operations: readonly Operation[] }

const close = (): void => {
  openTarget.value = null
}

/** Lets a person choose an operation, says what it does and where, and does it once that was confirmed. */
export function OperationForm({ target, operations }: Props) {
  const chosen = useSignal<Operation | undefined>(operations.length === 1 ? operations[0] : undefined)
  const typed = useSignal('')
  const to = useSignal(newPrimaryOf(chosen.value))
  const isPossible = useSignal(true)
  const problem = useSignal('')
  const outcomes = useSignal<readonly Outcome[]>([])
  const called = useSignal(0)
  const isReady = useComputed(() => {
    const it = chosen.value
    if (it === undefined || (it.plan !== undefined && !isPossible.value)) return false
    return it.typed === null || typed.value === it.typed
  })
  if (called.value > 0 && chosen.value !== undefined) {
    return <Outcomes title={chosen.value.title} outcomes={outcomes} called={called.value} onClose={close} />
  }

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    const operation = chosen.value
    if (!(form instanceof HTMLFormElement) || operation === undefined || !isReady.value) return
    const data = new FormData(form)
    const given = givenBy(data)
    problem.value = problemOf(operation, given)
    if (problem.value !== '') return
    const hosts = new Set(data.getAll('host').map(String))
    const { called: all } = receiversOf(operation.call, clusters.get(target.cluster)?.hosts.all() ?? [])
    const receivers = all.length === 1 ? all : all.filter(({ host }) => hosts.has(host))
    if (receivers.length === 0) {
      problem.value = 'Choose a host.'
      return
    }
    called.value = receivers.length
    await callHosts({
      cluster: target.cluster,
      call:
        operation.plan === undefined || to.value === null
          ? operation.call
          : { ...operation.call, query: { to: to.value } },
      given,
      called: receivers,
      onOutcome: (outcome) => {
        outcomes.value = [...outcomes.value, outcome]
      },
    })
    target.done?.()
    const [first] = outcomes.value
    if (operation.plan !== undefined && first?.state === 'done') {
      close()
      const task = first.payload as TaskPayload
      goTo({ page: 'switch', cluster: target.cluster, service: task.service })
    }
  }

  return (
    <form class="stack" onSubmit={submit}>
      {operations.length > 1 && (
        <fieldset class="choices">
          <legend class="unseen">What to do</legend>
          {operations.map((operation) => (
            <label>
              <input
                type="radio"
                name="operation"
                required
                checked={chosen.value === operation}
                onChange={() => {
                  chosen.value = operation
                  typed.value = ''
                  problem.value = ''
                  to.value = newPrimaryOf(operation)
                }}
              />
              <span>
                {operation.title}
                <span class="sub">{operation.effect}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {chosen.value !== undefined && (
        <div class="stack" key={chosen.value.title}>
          {operations.length === 1 && <p>{chosen.value.effect}</p>}
          <Fields operation={chosen.value} />
          {chosen.value.plan !== undefined && (
            <SwitchPlan
              route={chosen.value.plan}
              cluster={target.cluster}
              service={chosen.value.call.params.service ?? ''}
              to={to}
              isFixed={newPrimaryOf(chosen.value) !== null}
              isPossible={isPossible}
            />
          )}
          <Where target={target} operation={chosen.value} />
          {chosen.value.typed !== null && (
            <>
              <label for="typed">
                Type <code>{shown(chosen.value.typed)}</code> to confirm
              </label>
              <input
                id="typed"
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                onInput={(event) => {
                  typed.value = event.currentTarget.value
                }}
              />
            </>
          )}
        </div>
      )}
      <p class="error" role="alert">
        {problem}
      </p>
      <div class="buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button
          class={chosen.value?.typed == null ? 'primary' : 'danger'}
          type="submit"
          disabled={!isReady.value}
        >
          {chosen.value?.title ?? 'Choose an action'}
        </button>
      </div>
    </form>
  )
}

/** Names the new primary that an operation stands for; null where it can be chosen, or none is made. */
const newPrimaryOf = (operation: Operation | undefined): string | null =>
  operation?.plan !== undefined ? (operation.call.query?.to ?? null) : null

const givenBy = (data: FormData): Given => ({
  user: String(data.get('user') ?? '').normalize('NFC'),
  password: String(data.get('password') ?? ''),
  access: String(data.get('access') ?? ''),
})

function problemOf({ fields = [] }: Operation, { user, password }: Given): string {
  if (fields.includes('user')) {
    const [first] = userNameProblems(user)
    if (first !== undefined) return `The name ${first}.`
  }
  if (fields.includes('password')) {
    const [first] = passwordProblems(password)
    if (first !== undefined) return `The password ${first}.`
  }
  return ''
}

const Fields = ({ operation: { fields = [] } }: { readonly operation: Operation }) => (
  <>
    {fields.includes('user') && (
      <>
        <label for="user">User</label>
        <input id="user" name="user" autocomplete="off" autocapitalize="none" spellcheck={false} required />
      </>
    )}
    {fields.includes('password') && (
      <>
        <label for="password">New password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          aria-describedby="password-rules"
          required
        />
        <p class="muted" id="password-rules">
          1 to {maximumPassword} characters, any of Unicode.
        </p>
      </>
    )}
    {fields.includes('access') && (
      <>
        <label for="access">Level</label>
        <select id="access" name="access" required>
          <option value="read">read: may look</option>
          <option value="operate">operate: may also change states, policies and the primary</option>
          <option value="full">full: may do everything</option>
        </select>
      </>
    )}
  </>
)

/** Names the cluster and the hosts whose APIs are called; some can be left out. */
function Where({ target, operation }: { readonly target: Target; readonly operation: Operation }) {
  const { called, leftOut } = receiversOf(operation.call, clusters.get(target.cluster)?.hosts.all() ?? [])
  const [first] = called
  return (
    <div class="where-box">
      <p>
        In cluster <strong>{shown(target.cluster)}</strong>,{' '}
        {called.length === 1 && first !== undefined ? (
          <>
            by the {first.component} of <strong>{shown(first.host)}</strong>.
          </>
        ) : (
          `on ${called.length} hosts: each keeps its own ${operation.call.to === 'hosts' ? 'users' : 'state'}.`
        )}
        {called.length === 0 && ' None of them responds.'}
      </p>
      {leftOut.length > 0 && (
        <p class="warn">{shown(listText(leftOut))} did not respond and will not change.</p>
      )}
      {called.length > 1 && (
        <details>
          <summary>
            {called.length > 6 ? 'Choose hosts' : shown(called.map(({ host }) => host).join(', '))}
          </summary>
          <fieldset class="hosts">
            <legend class="unseen">Hosts</legend>
            {called.map(({ host }) => (
              <label>
                <input type="checkbox" name="host" value={host} defaultChecked /> {shown(host)}
              </label>
            ))}
          </fieldset>
        </details>
      )}
    </div>
  )
}
