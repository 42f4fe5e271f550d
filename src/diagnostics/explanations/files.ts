import type { fileEntries } from '../entries/files.ts'
import type { Explanation } from './explanation.ts'

/** Files that cannot be read, and assignments on the command line. */
export const fileExplanations = {
  'file-not-found': {
    title: 'The file is not there',
    about: [
      'A command reads the files at the end of its command line, else the one that `MUSTER_FILE` names, else `muster.yaml` in the working directory.',
      'It does not search the folders above, and a symbolic link whose target is gone counts as missing.',
      '',
      'Most often the command runs in another folder than the one the file is in: a CI job, a timer, a second terminal.',
      'In a script the name may come from a variable that is empty or holds a path relative to somewhere else.',
      '',
      'The exit code is 3, not 1: nothing was judged, and a pipeline can tell a missing file from a bad one.',
    ],
    commands: `pwd
ls -l *.yaml
echo "$MUSTER_FILE"`,
  },
  'file-is-directory': {
    title: 'A directory is named instead of a file',
    about: [
      'muster does not gather the YAML files of a folder, because their order would decide which value wins.',
      'Name each file. Every one lies over those before it: groups are joined name by name, single values and lists are replaced.',
    ],
    commands: `muster validate conf/base.yaml conf/staging.yaml`,
  },
  'file-unreadable': {
    title: 'The file cannot be opened',
    about: [
      'The operating system refused to open the file, for the reason that the message quotes: permission, symbolic links in a circle, a name that is too long, or a fault of the disk.',
      '',
      'With `permission denied`, look at the folders as well: each one above the file must be open to you.',
      '`muster init` makes a file that its owner alone can read, because such files tend to collect passwords.',
      'Run muster as that owner rather than opening the file to everybody.',
    ],
    commands: `# owner and mode of the file and of every folder above it
namei -l /srv/muster/muster.yaml
# who you are
id -un`,
  },
  'file-too-large': {
    title: 'The file is larger than 2 MB',
    about: [
      'muster reads no further than the limit, so that a log or a database dump named by mistake costs neither time nor memory.',
      '',
      'If it is a configuration after all, a generator has probably written every option out for every host.',
      'What all hosts share belongs in `defaults:`, once; what the hosts of one service share, in the `options:` of that service.',
    ],
    commands: `ls -lh muster.yaml
head -n 20 muster.yaml`,
  },
  'file-not-utf8': {
    title: 'The file is not UTF-8 text',
    about: [
      'Plain ASCII is UTF-8, so the byte at the position that the message gives is usually an accented letter, often in a comment.',
      'The editor saved it as Latin-1 or Windows-1252, or a shell wrote the whole file as UTF-16, as PowerShell 5 does with `>`.',
      '',
      'Convert the file as a whole. To delete the byte alone would hide that a password with such a letter is wrong as well.',
      'A byte order mark at the start does no harm.',
    ],
    commands: `# what it seems to be
file muster.yaml
# the lines with anything beyond ASCII
LC_ALL=C grep -n '[^ -~]' muster.yaml
iconv -f WINDOWS-1252 -t UTF-8 muster.yaml > new.yaml`,
  },
  'too-many-findings': {
    title: 'More findings than are listed',
    about: [
      'The first thousand are listed, by position, and the rest is only counted. Nobody reads a thousand findings, and they hardly have a thousand causes.',
      '',
      'Fix the first few and validate again. A group that was indented wrongly, a misspelt name in a template, or a file that is no configuration at all can each make a finding on every line.',
    ],
    commands: `muster validate muster.yaml | head -n 40`,
  },
  'stdin-twice': {
    title: 'Standard input is asked for more than once',
    about: [
      'Two things read standard input: `-` in the place of a file, and `--set name=-`, which takes a secret from there.',
      'Whichever comes first uses it up, and the second would get an empty text: an empty password, for one.',
    ],
    commands: `# asks for it twice
muster plan - --set rest-api-admin-pass=- < muster.yaml
# once each
muster plan muster.yaml --set rest-api-admin-pass=- < pw
muster plan - --set rest-api-admin-pass=@pw < muster.yaml`,
  },
  'set-not-assignment': {
    title: 'What follows --set is not name=value',
    about: [
      '`--set` takes one word of the shell: the name, an equals sign and the value, without spaces around the sign.',
      'Quote it where the value holds spaces or characters that the shell acts on. A list has commas and no brackets.',
      '',
      'In a script, check that the variable with the assignment is quoted and not empty.',
    ],
    commands: `# a space instead of the equals sign
muster validate --set log-level debug
# right
muster validate --set log-level=debug
muster validate --set rest-api-allowed-hosts=a.org,b.org`,
  },
  'set-secret-literal': {
    title: 'A secret written on the command line',
    about: [
      'For as long as the command runs, its arguments stand in the process list, which every user of the machine can read.',
      'After that they remain in the history of the shell and in the logs of CI.',
      '',
      'Treat a password that was given like this as known to others, even though muster did not use it: choose a new one.',
      'Then give it on standard input, in a file, or in the YAML file as `!env`, `!file` or `!exec`.',
    ],
    commands: `muster plan --set rest-api-admin-pass=- < password
muster plan --set rest-api-admin-pass=@password`,
  },
} satisfies Record<keyof typeof fileEntries, Explanation>
