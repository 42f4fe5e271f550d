import { headerName } from '../types/texts.ts'
import { templateProblem } from '../webhookTemplate.ts'
import { urlProblem } from '../webhookUrl.ts'

/** Members of a webhook whose text is checked as a whole. */
export type WebhookMember = 'url' | 'template' | 'header'

const span = { file: '', line: 1, column: 1, endLine: 1, endColumn: 2 }

const isHeader = (text: string): string =>
  String(headerName.read({ kind: 'scalar', value: text, source: text, span }, '').findings.length)

const kinds: Readonly<
  Record<
    WebhookMember,
    {
      readonly problemOf: (text: string) => string | undefined
      readonly forms: (name: string) => readonly string[]
    }
  >
> = {
  url: {
    problemOf: urlProblem,
    forms: (name) => [
      `https://${name}.example/`,
      `https://${name}.example/token-0123456789`,
      `https://${name}:x@example.org/`,
      `https://${name}.example/#x`,
      `http://${name}.example/`,
    ],
  },
  template: { problemOf: templateProblem, forms: () => ['{}', '{{name}}'] },
  header: { problemOf: isHeader, forms: (name) => [name, 'Host'] },
}

/** Writes another text with the same problem, if any; `name` stands for the private part. */
export function webhookText(member: WebhookMember, text: string, name: string): string {
  const { problemOf, forms } = kinds[member]
  const wanted = problemOf(text)
  return forms(name).find((form) => problemOf(form) === wanted) ?? name
}
