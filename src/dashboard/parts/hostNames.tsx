import { count, shown } from '../text/words.ts'

/** Names a few hosts; the others on demand. */
export function HostNames({ hosts }: { readonly hosts: readonly string[] }) {
  const names = shown(hosts.join(', '))
  if (hosts.length <= 6) return <span>{names}</span>
  return (
    <details>
      <summary>{count(hosts.length, 'host')}</summary>
      {names}
    </details>
  )
}
