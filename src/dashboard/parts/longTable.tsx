import { useSignal } from '@preact/signals'
import { count } from '../text/words.ts'
import { type Column, Table } from './table.tsx'

/** A longer list can be searched, and shows its first rows until somebody asks for all. */
export const shortList = 25

type Props = Parameters<typeof Table>[0] & {
  readonly columns: readonly Column[]
  /** The things, for the search: `data source`. */
  readonly noun: string
  /** Text of a row that the search looks through; the key if it is left out. */
  readonly textOf?: (key: string) => string
}

/** A table of few or of hundreds. */
export function LongTable({ noun, textOf = (key) => key, keys, ...table }: Props) {
  const sought = useSignal('')
  const showsAll = useSignal(false)
  if (keys.length <= shortList) return <Table {...table} keys={keys} />
  const wanted = sought.value.trim().toLowerCase()
  const found = keys.filter((key) => textOf(key).toLowerCase().includes(wanted))
  const isCut = !showsAll.value && found.length > shortList
  return (
    <div class="stack">
      <div class="bar">
        <input
          type="search"
          aria-label={`Find a ${noun}`}
          placeholder={`Find a ${noun}`}
          onInput={(event) => {
            sought.value = event.currentTarget.value
          }}
        />
        <p class="muted" role="status">
          {isCut ? `${shortList} of ${count(found.length, noun)}` : count(found.length, noun)}
        </p>
        {isCut && (
          <button
            class="small"
            type="button"
            onClick={() => {
              showsAll.value = true
            }}
          >
            Show all {found.length}
          </button>
        )}
      </div>
      {found.length > 0 && <Table {...table} keys={isCut ? found.slice(0, shortList) : found} />}
    </div>
  )
}
