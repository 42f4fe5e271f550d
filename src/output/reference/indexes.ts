import { groupDescriptions, requiredNames } from '../../config/reference/groups.ts'
import { componentNote, defaultText } from '../../config/reference/settingNotes.ts'
import { isSecret } from '../../config/secretOptions.ts'
import { allHooks } from '../../config/settings/hooks.ts'
import { optionGroups } from '../../config/settings/options.ts'
import { allFile, allHost, allService } from '../../config/settings/places.ts'
import { pageName, type Setting } from '../../config/settings/setting.ts'
import { allSsh } from '../../config/settings/ssh.ts'
import { findingGroups } from '../../diagnostics/codes.ts'
import { explanationOf } from '../../diagnostics/explanation.ts'

/** Writes the lists of docs/findings.md: every finding by group, with a link to its page. */
export function findingsIndex(): string {
  const sections = findingGroups.map(({ title: group, codes }) => {
    const rows = codes
      .map(explanationOf)
      .map(({ code, severity, title }) => `- [${code}](findings/${code}.md) (${severity}): ${title}`)
    return `## ${group}\n\n${rows.join('\n')}\n`
  })
  return sections.join('\n')
}

type Row = { readonly names: readonly string[]; readonly cells: readonly [string, string, string, string] }

const code = (text: string): string => `\`${text}\``

const secretWords = (setting: Setting<unknown>): string =>
  isSecret(setting)
    ? 'a [secret](#secrets)'
    : 'a group of user names, each with a [secret](#secrets), a group of `access` and `password`, or nothing'

function rowOf(setting: Setting<unknown>): Row {
  const { name, aliases, type, secret, title, since } = setting
  const standard = defaultText(setting)
  const meaning = [`${title}.`, ...componentNote(setting), ...(since === '0.1.0' ? [] : [`Since ${since}.`])]
  const shown = [`[${code(name)}](options/${pageName(setting)}.md)`, ...aliases.map(code)]
  const value = secret ? secretWords(setting) : type.wants
  return {
    names: [name, ...aliases],
    cells: [shown.join(' or '), value, standard === undefined ? '' : code(standard), meaning.join(' ')],
  }
}

const groupRow = (name: string, text: string): Row => ({
  names: [name],
  cells: [code(name), 'a group', '', text],
})

/** Writes a table of settings and groups; marks what a single file must have. */
function table(rows: readonly Row[], required: readonly string[] = []): string {
  const lines = rows.map(({ names, cells: [name, value, standard, meaning] }) => {
    const marked = names.some((name) => required.includes(name)) ? `**Required.** ${meaning}` : meaning
    const cells = [name, value, standard, marked]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| name | value | default | |', '|---|---|---|---|', ...lines].join('\n')
}

const fileRows: readonly Row[] = [
  ...allFile.map(rowOf),
  ...(['defaults', 'ssh', 'hooks', 'services', 'hosts'] as const).map((name) =>
    groupRow(name, groupDescriptions[name]),
  ),
]
const serviceRows: readonly Row[] = [...allService.map(rowOf), groupRow('options', groupDescriptions.options)]
const hostRows: readonly Row[] = [
  ...allHost.map(rowOf),
  groupRow('ssh', groupDescriptions.hostSsh),
  groupRow('options', groupDescriptions.options),
]

/** Writes the tables of docs/options.md: every setting in the order of the file, with a link to its page. */
export const optionsIndex = (): string =>
  [
    `## The top of the file\n\n${table(fileRows, requiredNames.file)}\n`,
    `## A service\n\n${table(serviceRows, requiredNames.service)}\n`,
    `## A host\n\n${table(hostRows)}\n`,
    `## \`ssh\`\n\n${table(allSsh.map(rowOf))}\n`,
    `## \`hooks\`\n\n${table(allHooks.map(rowOf))}\n`,
    '## `defaults` and `options`\n',
    ...optionGroups.map(({ title, settings }) => `### ${title}\n\n${table(settings.map(rowOf))}\n`),
  ].join('\n')
