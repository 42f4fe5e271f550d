import type { secretEntries } from '../entries/secrets.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const admin = 'rest-api-admin-user: admin'
const fromEnv = `${admin}\nrest-api-admin-pass: !env ADMIN_PASS`

/** The administrator and the password. */
export const secretExplanations = {
  'password-without-user': {
    title: 'A password without its user',
    about: [
      'A password belongs to the user beside it: `rest-api-admin-pass` to `rest-api-admin-user`, `replication-password` to `replication-user`, `monitor-password` to `monitor-user`. The user has no default.',
      '',
      'If the user is set for some hosts only, the others have a password without a user. Move the user to the group of the password, usually `defaults:`.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-pass: !env ADMIN_PASS' }),
    good: smallFile({ defaults: fromEnv }),
  },
  'bad-user-name': {
    title: 'A user name that the API does not allow',
    about: [
      'The API specification reserves characters with a meaning in URLs: the space, `:`, `/`, `@` and similar. In HTTP Basic authentication the user name ends at the first colon.',
      '',
      'So an e-mail address is not a valid user name; use the part before the `@`. Letters of any alphabet are allowed, up to 128 characters.',
      '',
      'New names may contain only letters, marks, digits and visible punctuation (based on UsernameCasePreserved of RFC 8265): no-break spaces, zero-width characters, bidirectional control characters, symbols and letter variants, such as full-width letters, make names that look alike. Existing users with such a name can log in and can be deleted.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user: ops@example.org' }),
    good: smallFile({ defaults: 'rest-api-admin-user: ops' }),
  },
  'administrator-twice': {
    title: 'The administrator among the users, with another password',
    about: [
      '`rest-api-admin-user` names the administrator of the specification; `rest-api-users` names the others. Both have the same rights, so name a user in one of them only.',
      '',
      'The usual cause is a second file that gives a host other users: remove the administrator from it.',
    ],
    bad: smallFile({ defaults: `${fromEnv}\nrest-api-users:\n  admin: !env OTHER_PASS` }),
    good: smallFile({ defaults: `${fromEnv}\nrest-api-users:\n  ops: !env OTHER_PASS` }),
  },
  'bad-password': {
    title: 'A password that hosts reject',
    about: [
      'Hosts reject a password that is empty, is longer than 1024 characters, or contains half of a character (an unpaired surrogate).',
      '',
      'An empty password usually comes from a variable or a template that was not filled in. A very long one is probably a key or a certificate that was read by mistake.',
    ],
    bad: smallFile({ defaults: `${admin}\nrest-api-admin-pass: ''` }),
    good: smallFile({ defaults: fromEnv }),
  },
  'default-password': {
    title: 'A default password',
    about: [
      'It is the user name itself, or a password that products ship with and manuals use as an example: `secret`, `changeme`, `password` and so on. Scanners try these within minutes after a port is open, so this is an error.',
      '',
      'If a system runs with such a password today, change it. The next install sets the new one on every host and logs in with it to verify it.',
    ],
    bad: smallFile({ defaults: `${admin}\nrest-api-admin-pass: secret` }),
    good: smallFile({ defaults: fromEnv }),
    commands: `# 24 random characters, for the administrator
export ADMIN_PASS="$(openssl rand -base64 18)"`,
  },
  'weak-password': {
    title: 'A password that is easy to guess',
    about: [
      'It has fewer than 12 characters, repeats a few, or is a well-known word with something added. Attackers can try passwords again and again on an API that is open to the network.',
      '',
      'Length matters more than special characters. This password is rarely typed, so use a random one and keep it in a password store.',
      'A password from `!env`, `!file` or `!exec` is checked in the same way when it is read.',
    ],
    bad: smallFile({ defaults: `${admin}\nrest-api-admin-pass: Sommer26` }),
    good: smallFile({ defaults: `${admin}\nrest-api-admin-pass: !file admin-password` }),
    commands: `# makes a file that only you can read
(umask 077 && openssl rand -base64 18 > admin-password)`,
  },
  'secret-not-resolved': {
    title: 'A secret that was not read',
    about: [
      'A check must be safe for a file from someone else, such as a pull request. So `muster validate` and similar commands run no program (`!exec`), and read `!file` and keystores only below the folder of the YAML file.',
      '',
      'A variable that is not set, or a file that does not exist, is also only a note: a check does not need the secrets. Secrets that were not read were not checked, nor were keystores that need them.',
      '',
      '`muster plan` and `muster install` read every secret and stop if one cannot be read. For your own file, add `--resolve-secrets` to check everything.',
    ],
    commands: `muster validate --resolve-secrets muster.yaml`,
  },
  'secret-unreadable': {
    title: 'A secret that cannot be read',
    about: [
      'You asked muster to read it (`--resolve-secrets`), but its source failed: the variable is not set, the file is missing or not readable, the program failed, timed out or printed nothing.',
      '',
      'Cron, systemd and CI have other environment variables than your shell, and `sudo` drops most of them. With `!exec`, the program gets only `PATH`, `HOME` and similar variables; it must find a token that it needs by itself.',
    ],
    commands: `# whether the variable is there, without showing it
printenv ADMIN_PASS | wc -c
# the program by hand, without showing what it prints
pass show muster | wc -c`,
  },
  'plaintext-secret-tracked': {
    title: 'A plain-text secret in a file that git tracks',
    about: [
      'Everyone who can clone the repository has the secret, now and later: deleting the line changes only the newest version, and every clone and fork keeps the history.',
      '',
      'So treat the secret as leaked. Change it first, then use a reference for the new one, and rewrite the history only if you must.',
      'A file for `!file` may be next to the YAML file if git ignores it.',
    ],
    commands: `# prints the name when git tracks the file
git ls-files muster.yaml
# who changed the lines with a password, and when
git log --oneline -G 'pass' -- muster.yaml
echo admin-password >> .gitignore`,
  },
} satisfies Record<keyof typeof secretEntries, Explanation>
