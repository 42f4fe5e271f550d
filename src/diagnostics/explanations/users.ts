import type { userEntries } from '../entries/users.ts'
import type { Explanation } from './explanation.ts'

const look = `# who can log in to which host, and where hosts differ
muster users list muster.yaml`

/** Users of installed hosts as they are now. */
export const userExplanations = {
  'user-missing': {
    title: 'A user of the file that is missing on a host',
    about: [
      'The file names the user for this host, as `rest-api-admin-user` or in `rest-api-users`, but the user file of the host does not have it: it was added to the file after the last install, it was deleted on the host, or the host was down when the others got it.',
      '',
      '`muster users apply` creates the user on the hosts that lack it, with the same password as elsewhere, and restarts nothing.',
    ],
    commands: `muster users apply muster.yaml`,
  },
  'user-password-differs': {
    title: 'A user with another password on one host',
    about: [
      'The password in the file, or the one in the state directory, does not match the hash in the user file of the host. No login was attempted: five failed logins lock a user out.',
      '',
      'It was changed there by hand or through the API, or the host was down while a rotation changed the others. `muster users apply` sets the known password again.',
      'To keep the password of the host, put it into the source that the file names, then run apply.',
    ],
    commands: `muster users list muster.yaml
muster users apply muster.yaml`,
  },
  'user-password-replaced': {
    title: 'A file that still has a replaced password',
    about: [
      '`muster users rotate` replaced this password on the hosts, but the source that the file names still has the old one. Until the source is updated, the state directory keeps the new one, and logins use that.',
      '',
      '`secrets.json` in the state directory has the new password. Put it into the variable, the file or the secret store, then verify again.',
    ],
    commands: `muster users verify muster.yaml`,
  },
  'user-extra': {
    title: 'A user that is not in the file',
    about: [
      'Every user of these APIs is an administrator, so an unlisted user is an error. It may be a leftover, a colleague who used the API, or a stranger; the audit log on the host shows who created it and when.',
      '',
      'To keep it, add it to `rest-api-users`; without a password there it stays as it is. muster removes users only with `--prune`, and shows them first.',
    ],
    commands: `muster users apply --prune muster.yaml`,
  },
  'user-component-differs': {
    title: 'A component that does not follow its user file',
    about: [
      'The components of a host share one user file and reload it when it changes. The users of this component differ from the file.',
      '',
      'Either its settings name another file, or it could not read the file after its last change; its log shows which. If the file was changed just now, verify again.',
    ],
    commands: `muster logs muster.yaml --lines 20
muster users verify muster.yaml`,
  },
  'user-login-refused': {
    title: 'A correct login that was rejected',
    about: [
      'The user file of the host has the hash of this password, but the API rejected the login. The login is made on the host itself, over TLS, at the address where the API listens.',
      '',
      'Status 429 is a lock-out after failed logins from this address; it ends by itself within minutes. For a message about the certificate, run `muster cert check`.',
    ],
    commands: `muster cert check muster.yaml
muster logs muster.yaml --lines 20`,
  },
  'user-component-silent': {
    title: 'A component that does not list its users',
    about: [
      'It is stopped, still starting, or its answer is not a list of users. muster uses the private socket on the host, so neither a certificate nor a firewall is the cause.',
    ],
    commands: `muster status muster.yaml
muster logs muster.yaml --lines 20`,
  },
  'user-host-unreachable': {
    title: 'A host whose users could not be read: it is unreachable',
    about: ['The other hosts were checked. If this is the only problem, the exit code is 4 instead of 1.'],
    commands: 'muster check muster.yaml',
  },
  'user-host-failed': {
    title: 'A host whose users could not be checked',
    about: [
      'It is reachable, but the login over SSH failed, or it is not the machine or the installation that the file describes.',
    ],
    commands: 'muster check muster.yaml',
  },
  'user-not-installed': {
    title: 'A host of the file without an installation, so without users',
    about: ['No release is installed on it, so there is nothing to log in to.'],
    commands: 'muster status muster.yaml',
  },
  'user-untried': {
    title: 'A user whose login could not be tried',
    about: [
      'The file names the user without a source for its password, and the state directory has none. So the users of the hosts can be compared, but a login cannot be verified. This is a note and does not change the exit code.',
      '',
      'If hosts have different hashes, the passwords may differ too: one password hashed twice looks like two passwords.',
      'Set the password in the file. Or run `muster users apply --generate`, which sets a new one on every host; the old one no longer works then.',
    ],
    commands: look,
  },
} satisfies Record<keyof typeof userEntries, Explanation>
