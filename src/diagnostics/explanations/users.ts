import type { userEntries } from '../entries/users.ts'
import type { Explanation } from './explanation.ts'

const look = `# who can log in to which host, and where hosts differ
muster users list muster.yaml`

/** Users of installed hosts as they are now. */
export const userExplanations = {
  'user-missing': {
    title: 'A user of the file whom a host does not have',
    about: [
      'The file names the user for this host, as `rest-api-admin-user` or in `rest-api-users`, and the user file of the host does not have it: it was named after the last installation, it was deleted there, or the host was down when the others got it.',
      '',
      '`muster users apply` makes the user on the hosts that lack it, with the same password as elsewhere, and restarts nothing.',
    ],
    commands: `muster users apply muster.yaml`,
  },
  'user-password-differs': {
    title: 'A user with another password on one host',
    about: [
      'The password of the file, or the one that the state directory keeps, was compared with the hash in the user file of the host, and it is not the one. Nobody logged in with it: five failures of one user lock it out.',
      '',
      'Somebody changed it there by hand or through the API, or the host was down while a rotation changed the others. `muster users apply` gives it the known one again.',
      'If the one on the host is meant, put that into the source that the file names, and apply.',
    ],
    commands: `muster users list muster.yaml
muster users apply muster.yaml`,
  },
  'user-password-replaced': {
    title: 'A file that gives a password after its replacement',
    about: [
      '`muster users rotate` put another password in the place of this one on the hosts, and the source that the file names still yields the old one. Until it follows, the state directory keeps the new one, and logins are tried with that.',
      '',
      '`secrets.json` in the state directory has the new password. Put it into the variable, the file or the secret store, and verify again.',
    ],
    commands: `muster users verify muster.yaml`,
  },
  'user-extra': {
    title: 'A user whom the file does not name',
    about: [
      'Every user of these APIs is an administrator, so one whom nobody has written down counts as an error. It may be a leftover, a colleague who used the API, or a stranger; the audit log on the host tells who made it and when.',
      '',
      'To keep it, name it in `rest-api-users`; without a password there it is left as it is. muster removes nobody unasked: `--prune` shows whom it would remove first.',
    ],
    commands: `muster users apply --prune muster.yaml`,
  },
  'user-component-differs': {
    title: 'A component that does not follow its user file',
    about: [
      'The components of a host share one user file, and read it anew when it changes. This one answered with other users than the file has.',
      '',
      'Either it runs from settings that name another file, or it could not read the file after its last change; its log says which. If the file was changed in this very moment, verify again.',
    ],
    commands: `muster logs muster.yaml --lines 20
muster users verify muster.yaml`,
  },
  'user-login-refused': {
    title: 'A login that is right and was not let in',
    about: [
      'The user file of the host has the hash of this password, and the API did not let the user in. The login is made on the host itself, over TLS, at the address where the API listens.',
      '',
      'A status of 429 is a lock-out after failures from this very address; it ends by itself within minutes. A message about the certificate is a matter of `muster cert check`.',
    ],
    commands: `muster cert check muster.yaml
muster logs muster.yaml --lines 20`,
  },
  'user-component-silent': {
    title: 'A component that does not tell its users',
    about: [
      'It is stopped, still starting, or answers with something else than a list of users. It was asked over its private socket on the host, so neither a certificate nor a firewall is the cause.',
    ],
    commands: `muster status muster.yaml
muster logs muster.yaml --lines 20`,
  },
  'user-host-unreachable': {
    title: 'A host that could not be asked for its users',
    about: [
      'The other hosts were asked all the same. With nothing but this wrong, the exit code is 4 instead of 1.',
    ],
    commands: 'muster check muster.yaml',
  },
  'user-host-failed': {
    title: 'A host whose users could not be looked at',
    about: [
      'It answers, and the login over SSH failed, or it is another machine or has another installation than the file means.',
    ],
    commands: 'muster check muster.yaml',
  },
  'user-not-installed': {
    title: 'A host of the file that has no installation, so no users',
    about: ['There is no release on it, so nobody can log in to anything there.'],
    commands: 'muster status muster.yaml',
  },
  'user-untried': {
    title: 'A user whose login nobody could try',
    about: [
      'The file names the user and no source for its password, and the state directory keeps none. So the users of the hosts can be compared, and a login cannot be proved. It is a note, and does not change the exit code.',
      '',
      'Where hosts keep different hashes, the passwords may differ, too: one password hashed twice looks no different from two.',
      'Give the password in the file. Or run `muster users apply --generate`, which puts a new one in its place on every host; whoever uses the old one is shut out then.',
    ],
    commands: look,
  },
} satisfies Record<keyof typeof userEntries, Explanation>
