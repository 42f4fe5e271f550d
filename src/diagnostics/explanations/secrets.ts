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
      'A password belongs to the user beside it: `rest-api-admin-pass` to `rest-api-admin-user`, `replication-password` to `replication-user`, `monitor-password` to `monitor-user`. The user has no default, since a name that nobody chose is a name that nobody looks after.',
      '',
      'Where the user is given for some hosts only, the others have a password without one. Then move the user to where the password stands, into `defaults:` as a rule.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-pass: !env ADMIN_PASS' }),
    good: smallFile({ defaults: fromEnv }),
  },
  'bad-user-name': {
    title: 'A user name that the API cannot carry',
    about: [
      'The specification of the API reserves the characters that have a meaning in addresses: the space, `:`, `/`, `@` and their like. A colon is the worst of them, for HTTP Basic authentication ends the user name at the first one.',
      '',
      'An e-mail address is therefore no user name; take the part before the `@`. Letters of any alphabet are fine, up to 128 characters.',
      '',
      'New names have letters, marks, digits and visible punctuation alone (after UsernameCasePreserved of RFC 8265): no-break spaces, characters without width, marks of writing direction, symbols and other forms of a letter, such as the wide ones, make names that look like another. Users who have such a name already can log in, and can be deleted.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user: ops@example.org' }),
    good: smallFile({ defaults: 'rest-api-admin-user: ops' }),
  },
  'administrator-twice': {
    title: 'The administrator among the users, with another password',
    about: [
      '`rest-api-admin-user` names the administrator of the specification; `rest-api-users` names the others. Both have the same rights, so nothing is won by naming one of them in both.',
      '',
      'An overlay that gives a host other users is the usual reason: leave the administrator out of it.',
    ],
    bad: smallFile({ defaults: `${fromEnv}\nrest-api-users:\n  admin: !env OTHER_PASS` }),
    good: smallFile({ defaults: `${fromEnv}\nrest-api-users:\n  ops: !env OTHER_PASS` }),
  },
  'bad-password': {
    title: 'A password that no host would take',
    about: [
      'The hosts refuse a password that is empty, longer than 1024 characters, or holds half of a character.',
      '',
      'An empty one mostly comes from a variable or a template that was not filled in. A very long one is probably a key or a certificate that was read by mistake.',
    ],
    bad: smallFile({ defaults: `${admin}\nrest-api-admin-pass: ''` }),
    good: smallFile({ defaults: fromEnv }),
  },
  'default-password': {
    title: 'A password that everybody tries first',
    about: [
      'It is the user name itself, or one of the passwords that products ship with and manuals use as their example: `secret`, `changeme`, `password` and so on. Scanners try these within minutes of a port being open, so this is an error and not a matter of taste.',
      '',
      'If a system runs with such a password today, change it. The next install sets the new one on every host and logs in with it, to prove that it works.',
    ],
    bad: smallFile({ defaults: `${admin}\nrest-api-admin-pass: secret` }),
    good: smallFile({ defaults: fromEnv }),
    commands: `# 24 random characters, for the administrator
export ADMIN_PASS="$(openssl rand -base64 18)"`,
  },
  'weak-password': {
    title: 'A password that is easy to guess',
    about: [
      'It has fewer than 12 characters, repeats a few, or is a well-known word with something added. An API that the network can reach can be asked for a password again and again.',
      '',
      'Length does more than strange characters. Nobody has to type this password often, so let it be random and keep it in a password store.',
      'A password from `!env`, `!file` or `!exec` is judged in the same way as soon as it is read.',
    ],
    bad: smallFile({ defaults: `${admin}\nrest-api-admin-pass: Sommer26` }),
    good: smallFile({ defaults: `${admin}\nrest-api-admin-pass: !file admin-password` }),
    commands: `# makes a file that only you can read
(umask 077 && openssl rand -base64 18 > admin-password)`,
  },
  'secret-not-resolved': {
    title: 'A secret that was not read',
    about: [
      'A check must be safe to run on a file from somebody else, such as a pull request. So `muster validate` and its like start no program (`!exec`), and read `!file` and keystores only below the folder of the YAML file.',
      '',
      'A variable that is not set here, or a file that is not there, is only noted as well: who checks a file need not have its secrets. What was not read could not be judged, be it a weak password or what is in a keystore.',
      '',
      '`muster plan` and `muster install` read every secret and stop where they cannot. If the file is your own, `--resolve-secrets` makes the check as complete.',
    ],
    commands: `muster validate --resolve-secrets muster.yaml`,
  },
  'secret-unreadable': {
    title: 'A secret that cannot be read',
    about: [
      'You asked for it to be read (`--resolve-secrets`), and its source did not give it: the variable is not set, the file is missing or not yours, the program failed, took too long or printed nothing.',
      '',
      'Cron, systemd and CI start with other variables than your shell has, and `sudo` drops most of them. With `!exec`, only `PATH`, `HOME` and their like reach the program; a token that it needs it must find by itself.',
    ],
    commands: `# whether the variable is there, without showing it
printenv ADMIN_PASS | wc -c
# the program by hand, without showing what it prints
pass show muster | wc -c`,
  },
  'plaintext-secret-tracked': {
    title: 'A secret written out in a file that git tracks',
    about: [
      'Everyone who can clone the repository has the secret, now and later: to delete the line takes it out of the newest version only, and every clone and fork keeps the rest.',
      '',
      'So count the secret as known. Change it first, then read the new one from elsewhere, and rewrite the history only if you must.',
      'A file for `!file` may lie beside the YAML file, as long as git ignores it.',
    ],
    commands: `# prints the name when git tracks the file
git ls-files muster.yaml
# who changed the lines with a password, and when
git log --oneline -G 'pass' -- muster.yaml
echo admin-password >> .gitignore`,
  },
} satisfies Record<keyof typeof secretEntries, Explanation>
