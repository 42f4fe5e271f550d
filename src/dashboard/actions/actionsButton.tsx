import { mayDo } from '../state/session.ts'
import { type Target, target, targetText } from './actionTarget.ts'

/** Opens the dialog of a target; absent for a login whose level allows nothing. */
export function ActionsButton({ target: own, label }: { readonly target: Target; readonly label?: string }) {
  const needed = own.kind === 'user' || own.kind === 'new-user' ? 'full' : 'operate'
  if (!mayDo(own.cluster, needed)) return null
  return (
    <button
      class={label === undefined ? 'small' : ''}
      type="button"
      aria-haspopup="dialog"
      aria-label={label === undefined ? `Actions for ${targetText(own)}` : undefined}
      onClick={() => {
        target.value = own
      }}
    >
      {label ?? 'Actions'}
    </button>
  )
}
