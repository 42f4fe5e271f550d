import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { place } from '../state/place.ts'
import { session } from '../state/session.ts'
import { operationsOf, type Target, target, targetText } from './actionTarget.ts'
import { OperationForm } from './operationForm.tsx'

/** The one dialog of the page; it is open while there is a target. */
export function ActionDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  useSignalEffect(() => {
    const isOpen = target.value !== null
    if (isOpen && dialog.current?.open === false) dialog.current.showModal()
    if (!isOpen && dialog.current?.open === true) dialog.current.close()
  })
  // Another page or the end of the session leaves no dialog behind.
  useSignalEffect(() => {
    void place.value
    if (session.value?.state !== 'in' || target.peek() !== null) target.value = null
  })
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={() => {
        target.value = null
      }}
    >
      {target.value !== null && <Content key={JSON.stringify(target.value)} of={target.value} />}
    </dialog>
  )
}

function Content({ of }: { readonly of: Target }) {
  const title = useRef<HTMLHeadingElement>(null)
  // The operations of now: what a change of the state would take away is refused by the API, not by a form that jumps.
  const operations = useSignal(operationsOf(of))
  useEffect(() => title.current?.focus(), [])
  return (
    <>
      <h2 id="dialog-title" tabIndex={-1} ref={title}>
        {of.kind === 'new-user' ? 'Add a user' : `Actions for ${targetText(of)}`}
      </h2>
      {operations.value.length === 0 ? (
        <>
          <p>Its state and your level allow nothing now.</p>
          <div class="buttons">
            <button
              type="button"
              onClick={() => {
                target.value = null
              }}
            >
              Close
            </button>
          </div>
        </>
      ) : (
        <OperationForm target={of} operations={operations.value} />
      )}
    </>
  )
}
