import { CertificateError } from '../../certificates/certificateError.ts'
import { describeChain } from '../../certificates/chain.ts'
import { isGenerated } from '../desired/generatedStores.ts'
import { tlsNotes, userProvidedStores } from '../desired/userProvidedStores.ts'
import { StepError } from '../stepError.ts'
import {
  type Check,
  type CheckContext,
  failures,
  ok,
  type Subject,
  type Verdict,
  warning,
} from './checkContract.ts'

/** Checks that the host's certificate is usable: the user's own stores, or the one that muster made. */
export const certificatesCheck: Check = {
  id: 'certificates',
  // An installation finds the same problems when it opens the stores, because it has their passwords.
  describe: (subject, context) =>
    isGenerated(subject.host) ? describeGenerated(subject, context.now) : describeOwn(subject, context),
}

function describeGenerated({ facts }: Subject, now: Date): readonly Verdict[] {
  const { chain } = facts.installation
  const certificate = chain === undefined ? undefined : describeChain(chain, now)
  if (certificate === undefined) return ok('issued by muster')
  const until = certificate.notAfter.toISOString().slice(0, 10)
  if (!certificate.expired) return ok(`issued by muster, valid until ${until}`)
  return warning(`its certificate is valid only until ${until}`, 'Run `muster install` to issue a new one.')
}

function describeOwn({ host, facts }: Subject, { stores, now }: CheckContext): readonly Verdict[] {
  const unread = stores.failures.get(host.name) ?? []
  if (unread.length > 0) return failures(unread)
  try {
    const given = stores.passwords.get(host.name) ?? {}
    const { warnings } = userProvidedStores({ host, facts, given, files: stores.files, now })
    const notes = tlsNotes(warnings.map((one) => ({ host: host.name, warning: one })))
    return notes.length === 0
      ? ok('keystore and truststore from the file')
      : notes.flatMap((note) => warning(note, 'Replace the stores, then run `muster install`.'))
  } catch (error) {
    if (error instanceof StepError || error instanceof CertificateError) return failures([error])
    throw error
  }
}
