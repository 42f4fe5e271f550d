import { CertificateError } from '../../../certificates/certificateError.ts'
import { describeChain } from '../../../certificates/describeChain.ts'
import { ownStores } from '../../desired/ownStores.ts'
import { isGenerated } from '../../desired/stores.ts'
import { tlsNotes } from '../../desired/tlsNotes.ts'
import { StepError } from '../../stepError.ts'
import type { Check, Subject, Surroundings } from '../subject.ts'
import { failures, ok, type Verdict, warning } from '../verdict.ts'

/** Whether the operator's own stores serve on this host, or the certificate that muster made still does. */
export const certificates: Check = {
  id: 'certificates',
  judge: (subject, around) =>
    isGenerated(subject.host) ? judgeMade(subject, around.now) : judgeOwn(subject, around),
}

function judgeMade({ facts }: Subject, now: Date): readonly Verdict[] {
  const { chain } = facts.installation
  const made = chain === undefined ? undefined : describeChain(chain, now)
  if (made === undefined) return ok('made by muster')
  const until = made.notAfter.toISOString().slice(0, 10)
  if (!made.expired) return ok(`made by muster, until ${until}`)
  return warning(
    `its certificate is valid until ${until} only`,
    'Run `muster install`, which makes a new one.',
  )
}

function judgeOwn({ host, facts }: Subject, { stores, now }: Surroundings): readonly Verdict[] {
  const unread = stores.failures.get(host.name) ?? []
  if (unread.length > 0) return failures(unread, [])
  try {
    const given = stores.passwords.get(host.name) ?? {}
    const { warnings } = ownStores({ host, facts, given, files: stores.files, now })
    const notes = tlsNotes(warnings.map((one) => ({ host: host.name, warning: one })))
    return notes.length === 0
      ? ok('keystore and truststore of the file')
      : notes.flatMap((note) => warning(note, 'Replace the stores, then run `muster install`.'))
  } catch (error) {
    if (error instanceof StepError || error instanceof CertificateError) return failures([error], [])
    throw error
  }
}
