import { decideService } from '../desiredService.ts'
import { serviceData } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { type Candidate, type Check, ok } from './checkContract.ts'
import { howToGetRoot } from './rootCheck.ts'

/** Checks that the login can write to the install-directory and that socket paths in it are short enough. */
export const directoryCheck: Check = {
  id: 'directory',
  check: (candidate) => [...unwritable(candidate), ...socketPathTooLong(candidate)],
  describe: ({ host, facts }) =>
    ok(`${host.installDirectory} ${facts.installation.exists ? 'is writable' : 'can be created'}`),
}

function unwritable({ host, facts }: Candidate): readonly StepError[] {
  if (facts.installation.writable) return []
  const message = `${facts.login} cannot write to ${host.installDirectory}`
  const root = facts.uid === 0
  return [
    new StepError({
      host: host.name,
      code: 'not-enough-rights',
      message: root ? `${message}: a part of that path is a file, or its file system is read-only` : message,
      fix: root
        ? 'Choose another install-directory.'
        : `${howToGetRoot(host)}, or choose an install-directory that ${facts.login} can write to.`,
    }),
  ]
}

/** Maximum bytes of a Unix socket path (unix(7): sun_path has 108, including the final NUL). */
const maxSocketPath = 107

function socketPathTooLong({ cluster, host, facts }: Candidate): readonly StepError[] {
  const { manager } = decideService(host, facts, cluster)
  const socket = serviceData(manager, { root: host.installDirectory, cluster }).socket('replicator')
  const length = Buffer.byteLength(socket)
  if (length <= maxSocketPath) return []
  return [
    new StepError({
      host: host.name,
      code: 'path-too-long',
      message: `the Unix socket path ${socket} has ${length} bytes, but Linux allows only ${maxSocketPath}`,
      fix: 'Choose a shorter install-directory.',
    }),
  ]
}
