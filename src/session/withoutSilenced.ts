import { applyIgnores, type Silenced } from '../config/document/applyIgnores.ts'
import type { Diagnostic } from '../diagnostics/diagnostic.ts'
import { limitFindings } from '../diagnostics/limitFindings.ts'
import type { LoadedCluster } from './loadCluster.ts'

/** Prefixes of codes whose findings need more than the files; only some commands look for them. */
const beyondFiles = [
  'keystore-',
  'truststore-',
  'plaintext-',
  'secret-',
  'certificate-',
  'authority-',
  'user-',
  'drift-',
  // Passwords from elsewhere differ from machine to machine.
  'weak-password',
] as const

/**
 * Returns the findings in order, without those that comments of the files silence, with findings about these comments,
 * and capped in number. `checked` names the kinds of `beyondFiles` that were checked; comments about others never count
 * as unused. Neither do comments of merged files, which may be needed without the others.
 */
export function withoutSilenced(
  loaded: Pick<LoadedCluster, 'ignores' | 'combined' | 'sources'>,
  options: {
    readonly findings: readonly Diagnostic[]
    readonly checked?: readonly (typeof beyondFiles)[number][]
  },
): { readonly findings: readonly Diagnostic[]; readonly silenced: readonly Silenced[] } {
  const { ignores, combined, sources } = loaded
  const { findings, checked = [] } = options
  const unchecked = beyondFiles.filter((family) => !checked.includes(family))
  const read = sources.map(({ name }) => name)
  const unread = findings.map(({ span }) => span.file).filter((file) => !read.includes(file))
  const left = applyIgnores({
    findings,
    ignores,
    // A file that could not be read comes first: nothing else matters as much.
    files: [...new Set([...unread, ...read])],
    isChecked: (code) => !combined && !unchecked.some((family) => code.startsWith(family)),
  })
  return { ...left, findings: limitFindings(left.findings) }
}
