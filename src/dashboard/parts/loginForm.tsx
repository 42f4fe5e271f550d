import { useSignal } from '@preact/signals'
import { logIn, session } from '../state/session.ts'
import { shown } from '../text/words.ts'

/** Login to one cluster, or to all that accept it. The password stays in its field, and goes with the request. */
export function LoginForm({ cluster }: { readonly cluster?: string }) {
  const problem = useSignal('')
  const isBusy = useSignal(false)
  const names = (session.value?.clusters ?? []).map(({ name }) => name)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    if (!(form instanceof HTMLFormElement) || isBusy.value) return
    isBusy.value = true
    problem.value = ''
    const given = new FormData(form)
    const chosen = cluster ?? String(given.get('cluster') ?? '')
    const failure = await logIn({
      user: String(given.get('user') ?? ''),
      password: String(given.get('password') ?? ''),
      ...(chosen !== '' && { cluster: chosen }),
    })
    isBusy.value = false
    if (failure === null) return
    problem.value = shown(failure.detail)
    const field = form.elements.namedItem('password')
    if (field instanceof HTMLInputElement) {
      field.value = ''
      field.focus()
    }
  }
  const id = (name: string): string => `login-${name}-${cluster ?? ''}`
  return (
    <form class="stack" onSubmit={submit} method="post">
      <label for={id('user')}>User</label>
      <input
        id={id('user')}
        name="user"
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
        required
        maxLength={300}
      />
      <label for={id('password')}>Password</label>
      <input
        id={id('password')}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxLength={4096}
      />
      {cluster === undefined && names.length > 1 && (
        <>
          <label for={id('cluster')}>Cluster</label>
          <select id={id('cluster')} name="cluster">
            <option value="">all that accept this login</option>
            {names.map((name) => (
              <option value={name}>{shown(name)}</option>
            ))}
          </select>
        </>
      )}
      <p class="error" role="alert">
        {problem}
      </p>
      <button class="primary" type="submit" disabled={isBusy}>
        Log in
      </button>
    </form>
  )
}
